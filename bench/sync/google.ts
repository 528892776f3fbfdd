import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { Cleanup } from '../support/cleanup.ts';
import { startService } from '../support/service.ts';
import type { GoogleFacts } from './google-process.ts';
import type { WorldSize } from './world.ts';

export interface Google extends GoogleFacts {
  stop(): Promise<void>;
}

/** Runs in its own process, so that its memory and time do not count for Rollcall. */
export async function startGoogle(size: WorldSize, cleanup: Cleanup): Promise<Google> {
  const { baseUrl, stop } = await startService(
    {
      name: 'The loopback Google',
      command: [process.execPath, fileURLToPath(import.meta.resolve('./google-process.js'))],
      environment: { WORLD: JSON.stringify(size) },
    },
    cleanup,
  );
  const { body } = await request(`${baseUrl}/health/ready`);
  return { ...((await body.json()) as GoogleFacts), stop };
}

/** The settings that point Rollcall to the loopback Google. */
export const googleEnvironment = ({ clientId, clientSecret, addresses }: GoogleFacts): Record<string, string> => ({
  DSYNC_GOOGLE_CLIENT_ID: clientId,
  DSYNC_GOOGLE_CLIENT_SECRET: clientSecret,
  DSYNC_GOOGLE_API_URL: addresses.apiUrl,
  DSYNC_GOOGLE_AUTH_URL: addresses.authUrl,
  DSYNC_GOOGLE_TOKEN_URL: addresses.tokenUrl,
});
