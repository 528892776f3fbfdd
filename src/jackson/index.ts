import { controllers as createControllers } from './controllers.ts';

export { controllers, type IDirectorySyncController, type SAMLJackson } from './controllers.ts';
export { DirectorySyncProviders, type DirectoryType } from './directories.ts';
export type { JacksonOption } from './options.ts';
export type { ApiError, PaginationParams, Response } from './response.ts';
export type * from './types.ts';

/** A function with itself as a member: the ancestor is imported as either, according to the module system. */
export default Object.assign(createControllers.bind(undefined), { controllers: createControllers });
