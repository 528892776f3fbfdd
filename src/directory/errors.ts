import { AppError } from '../errors.ts';

export const notFound = (resource: string, details?: { field: string }) =>
  new AppError('not_found', `There is no ${resource} with this ID.`, details);
export const directoryNotFound = () => notFound('directory');
export const deliveryNotFound = () => notFound('delivery');

/** No directory matches the tenant, product or ID of a query. */
export const noDirectoryMatches = () => new AppError('not_found', 'There is no such directory.');

export const secretInUse = () =>
  new AppError('invalid_request', 'secret is in use already: send another one, or leave it out to have one created.', { field: 'secret' });
