import { controllers as createControllers } from './controllers.ts';

export { controllers, type IDirectorySyncController, type SAMLJackson } from './controllers.ts';
export { DirectorySyncProviders, type DirectoryType, type Directories as IDirectoryConfig } from './directories.ts';
export type { EventProcessor as IEventProcessor } from './events.ts';
export type { Groups as IGroups } from './groups.ts';
export type { JacksonOption } from './options.ts';
export type { ApiError, PaginationParams, Response } from './response.ts';
export type * from './types.ts';
export type { Users as IUsers } from './users.ts';
export type { WebhookLogs as IWebhookEventsLogger } from './webhook-logs.ts';

/** A function that has itself as a member: depending on the module system, applications import Polis as either. */
export default Object.assign(createControllers.bind(undefined), { controllers: createControllers });
