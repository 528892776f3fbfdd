import { createHmac } from 'node:crypto';

/**
 * The secret of a directory that has none, because its webhook was removed. It is the same each time, so that an application keeps verifying
 * after a restart of `listen`. Only the holder of an API key, who may read every secret, can compute it.
 */
export const createListenSecret = (apiKey: string, directoryId: string): string =>
  `whsec_${createHmac('sha256', apiKey).update(`rollcall listen ${directoryId}`).digest('base64')}`;
