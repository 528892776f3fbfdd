import { AppError } from '../errors.ts';

export const directoryNotFound = () => new AppError('not_found', 'There is no directory with this ID.');
export const deliveryNotFound = () => new AppError('not_found', 'There is no delivery with this ID.');

/** No directory matches the tenant, product or ID of a query. */
export const noDirectoryMatches = () => new AppError('not_found', 'There is no such directory.');

export const secretInUse = () =>
  new AppError('invalid_request', 'secret is in use already: send another one, or leave it out to have one created.', { field: 'secret' });
