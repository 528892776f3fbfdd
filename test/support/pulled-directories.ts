import type { FakeGoogle } from './google/fake-google.ts';
import type { GoogleRequest } from './google/google-faults.ts';
import { readFeed } from './feed-requests.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/** Settings for a service that uses this Google. */
export const googleEnv = ({ clientId, clientSecret, addresses }: FakeGoogle) => ({
  DSYNC_GOOGLE_CLIENT_ID: clientId,
  DSYNC_GOOGLE_CLIENT_SECRET: clientSecret,
  DSYNC_GOOGLE_API_URL: addresses.apiUrl,
  DSYNC_GOOGLE_AUTH_URL: addresses.authUrl,
  DSYNC_GOOGLE_TOKEN_URL: addresses.tokenUrl,
});

export type PulledDirectory = Awaited<ReturnType<typeof createPulledDirectory>>;

// oxlint-disable-next-line typescript/no-explicit-any
export type Run = any;

export interface EmittedEvent {
  event: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  sequence: number;
}

type Place = Pick<TestService, 'db'> & { api(method: string, path: string, body?: unknown): ReturnType<TestService['api']> };

/** A directory of type google, authorized unless the fields say otherwise. */
export async function createPulledDirectory(place: Place, google: FakeGoogle, fields: Record<string, unknown> = {}) {
  const { accessToken, refreshToken } = google.issueTokens();
  const { body } = await place.api('POST', '/api/v1/directory-sync', {
    tenant: 'acme',
    product: 'app',
    type: 'google',
    google_access_token: accessToken,
    google_refresh_token: refreshToken,
    ...fields,
  });
  const isOwn = ({ authorization }: { authorization: string | undefined }) => authorization === `Bearer ${accessToken}`;
  /** Whether a request to Google is about this directory. Works until its access token is renewed. */
  const isRequestFor = (kind: GoogleRequest['kind']) => (request: GoogleRequest) => request.kind === kind && isOwn(request);
  return { ...toPulledDirectory(place, body.data.id as string), accessToken, refreshToken, isRequestFor };
}

export function toPulledDirectory(place: Place, id: string) {
  const path = `/api/v1/directory-sync/${id}`;
  let lastSequence = 0;
  const get = async (rest: string): Promise<Run> => (await place.api('GET', `${path}${rest}`)).body.data;
  const directory = {
    id,
    path,
    get: () => get(''),
    change: (fields: Record<string, unknown>) => place.api('PATCH', path, fields),
    requestSync: (query = '') => place.api('POST', `${path}/sync${query}`),
    runs: () => get('/syncs'),
    run: (runId: string) => get(`/syncs/${runId}`),
    cancel: (runId: string) => place.api('POST', `${path}/syncs/${runId}/cancel`),
    /** Waits for the end of the run. */
    untilEnded: (runId: string): Promise<Run> =>
      until(
        async () => {
          const run = await directory.run(runId);
          return run.finished_at !== null && run;
        },
        { timeoutMs: 120_000 },
      ),
    /** Waits until the run meets the condition. */
    untilRun: (runId: string, isSo: (run: Run) => boolean): Promise<Run> =>
      until(
        async () => {
          const run = await directory.run(runId);
          return isSo(run) && run;
        },
        { timeoutMs: 60_000 },
      ),
    /** Waits until there are `count` runs and the newest has ended. */
    async untilNewestEnded(count = 1): Promise<Run> {
      const [{ id: runId }] = await until(async () => {
        const runs: Run[] = await directory.runs();
        return runs.length === count && runs;
      });
      return directory.untilEnded(runId);
    },
    /** Waits until no run is in progress, and returns the newest one. A run that follows another one is queued when that one ends. */
    async untilIdle(): Promise<Run> {
      const [newest] = await until(
        async () => {
          const runs: Run[] = await directory.runs();
          return runs.length > 0 && runs.every(({ finished_at: finishedAt }) => finishedAt !== null) && runs;
        },
        { timeoutMs: 120_000 },
      );
      return newest;
    },
    /** Returns the id of the run that it has started. */
    async begin(query = ''): Promise<string> {
      const { status, body } = await directory.requestSync(query);
      if (status !== 202) throw new Error(`A sync was not begun: ${status} ${JSON.stringify(body)}`);
      return body.data.id as string;
    },
    sync: async (query = '') => directory.untilEnded(await directory.begin(query)),
    /** The events of the feed since the last call. */
    async newEvents(): Promise<EmittedEvent[]> {
      const found: EmittedEvent[] = [];
      for (let after = '', more = true; more;) {
        const page = await readFeed(place, { directory_id: id, limit: 1_000, ...(after !== '' && { after }) });
        found.push(...(page.events as unknown as EmittedEvent[]));
        ({ after, hasMore: more } = page);
      }
      const fresh = found.filter(({ sequence }) => sequence > lastSequence);
      lastSequence = found.at(-1)?.sequence ?? lastSequence;
      return fresh;
    },
    /** For example `group.user_added ada@acme.example Team`. */
    describeNewEvents: async () => (await directory.newEvents()).map(describeEvent),
    /** How often each type was emitted. */
    countNewEvents: async () => countByType(await directory.newEvents()),
  };
  return directory;
}

const describeEvent = ({ event, data }: EmittedEvent): string =>
  [event, nameIn(data), ...(data.group ? [nameIn(data.group)] : [])].join(' ');

const nameIn = ({ raw, name }: EmittedEvent['data']): string => raw.primaryEmail ?? name;

function countByType(events: EmittedEvent[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const { event } of events) tally[event] = (tally[event] ?? 0) + 1;
  return tally;
}

interface Changed {
  users?: [created: number, updated: number, deleted: number];
  groups?: [created: number, updated: number, deleted: number];
  members?: [added: number, removed: number];
}

/** `changed` of a run. Default: zeros. */
export const changed = ({ users = [0, 0, 0], groups = [0, 0, 0], members = [0, 0] }: Changed = {}) => ({
  users: { created: users[0], updated: users[1], deleted: users[2] },
  groups: { created: groups[0], updated: groups[1], deleted: groups[2] },
  members: { added: members[0], removed: members[1] },
});

/** Delays matching requests until they are released. */
export function hold(google: FakeGoogle, match: Parameters<FakeGoogle['before']>[0]) {
  let isOpen = false;
  let count = 0;
  const end = google.before(match, () => {
    count += 1;
    return until(() => isOpen, { timeoutMs: 180_000 });
  });
  return {
    /** Waits until so many of them have arrived. */
    reached: (least = 1) => until(() => count >= least, { timeoutMs: 60_000 }),
    release() {
      end();
      isOpen = true;
    },
  };
}
