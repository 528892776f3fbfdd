import type { Cleanup } from '../support/cleanup.ts';
import { createGoogleDirectory } from './api.ts';
import type { GoogleFacts } from './google-process.ts';
import { type Source, startFakeProcess } from './source.ts';
import type { WorldSize } from './world.ts';

export interface Google extends Source {
  facts: GoogleFacts;
}

export async function startGoogle(size: WorldSize, cleanup: Cleanup): Promise<Google> {
  const { facts, stop } = await startFakeProcess<GoogleFacts>('The loopback Google', './google-process.js', size, cleanup);
  const { clientId, clientSecret, addresses } = facts;
  return {
    facts,
    stop,
    environment: {
      DSYNC_GOOGLE_CLIENT_ID: clientId,
      DSYNC_GOOGLE_CLIENT_SECRET: clientSecret,
      DSYNC_GOOGLE_API_URL: addresses.apiUrl,
      DSYNC_GOOGLE_AUTH_URL: addresses.authUrl,
      DSYNC_GOOGLE_TOKEN_URL: addresses.tokenUrl,
    },
    createDirectory: (api) => createGoogleDirectory(api, facts),
  };
}
