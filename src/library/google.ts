import type { Client } from '../client/index.ts';

/** In the form of the specification: everything in one object. */
export const createGoogle = ({ google }: Pick<Client, 'google'>) => ({
  generateAuthorizationUrl: ({ directoryId }: { directoryId: string }) => google.generateAuthorizationUrl(directoryId),

  getAccessToken: ({ directoryId, code, state }: { directoryId: string; code: string; state?: string | undefined }) =>
    google.getAccessToken(directoryId, { code, ...(state !== undefined && { state }) }),

  setToken: ({ directoryId, ...tokens }: { directoryId: string; accessToken: string; refreshToken: string }) =>
    google.setToken(directoryId, tokens),
});
