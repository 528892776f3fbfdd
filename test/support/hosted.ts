import type { FakeGoogle } from './google/fake-google.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/** What leads a service to a Google of its own. */
export const googleEnv = ({ clientId, clientSecret, addresses }: FakeGoogle, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  DSYNC_GOOGLE_CLIENT_ID: clientId,
  DSYNC_GOOGLE_CLIENT_SECRET: clientSecret,
  DSYNC_GOOGLE_API_URL: addresses.apiUrl,
  DSYNC_GOOGLE_AUTH_URL: addresses.authUrl,
  DSYNC_GOOGLE_TOKEN_URL: addresses.tokenUrl,
  ...more,
});

export type HostedDirectory = Awaited<ReturnType<typeof createHosted>>;

/** A directory of type google that its administrator has authorised, and how to look at it. */
export async function createHosted(service: TestService, google: FakeGoogle, fields: Record<string, unknown> = {}) {
  const { accessToken, refreshToken } = google.issueTokens();
  const created = await service.api('POST', '/api/v1/directory-sync', {
    tenant: 'acme',
    product: 'app',
    type: 'google',
    google_access_token: accessToken,
    google_refresh_token: refreshToken,
    ...fields,
  });
  const { id } = created.body.data as { id: string };
  const path = `/api/v1/directory-sync/${id}`;
  let told = 0;
  const directory = {
    id,
    path,
    get: async () => (await service.api('GET', path)).body.data,
    ask: (query = '') => service.api('POST', `${path}/sync${query}`),
    run: async (runId: string) => (await service.api('GET', `${path}/syncs/${runId}`)).body.data,
    async ended(runId: string) {
      return until(async () => {
        const run = await directory.run(runId);
        return run.state !== 'queued' && run.state !== 'running' && run;
      }, { timeoutMs: 30_000 });
    },
    /** Asks, and waits for the end. */
    async sync(query = '') {
      const { status, body } = await directory.ask(query);
      if (status !== 202) throw new Error(`A sync was not begun: ${status} ${JSON.stringify(body)}`);
      return directory.ended(body.data.id as string);
    },
    async events(): Promise<{ event: string; data: Record<string, any>; sequence: number }[]> {
      const { body } = await service.api('GET', `/api/v1/events?directory_id=${id}&limit=1000`);
      return body.data;
    },
    /** Since it was asked the last time. */
    async newEvents() {
      const all = await directory.events();
      const fresh = all.filter(({ sequence }) => sequence > told);
      told = all.at(-1)?.sequence ?? told;
      return fresh;
    },
  };
  return directory;
}
