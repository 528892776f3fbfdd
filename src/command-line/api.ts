import type { Operation } from '../client/operation.ts';
import type { CallOptions, Result } from '../client/index.ts';
import { send } from '../client/send.ts';

const root = '/api/v1/directory-sync';
const one = `${root}/{directoryId}`;
const get = (path: string, ...pathParameters: string[]): Operation => ({ method: 'GET', path, pathParameters, takes: 'query' });
const post = (path: string, ...pathParameters: string[]): Operation => ({ method: 'POST', path, pathParameters, takes: 'body' });
const id = 'directoryId';

const operations: Record<string, Operation> = {
  'directories.create': post(root),
  'directories.list': get(root),
  'directories.listOfProduct': get(`${root}/product`),
  'directories.get': { ...get(one, id), takes: 'nothing' },
  'directories.update': { ...post(one, id), method: 'PATCH' },
  'directories.delete': { ...get(one, id), method: 'DELETE', takes: 'nothing' },
  'directories.rotateScimSecret': post(`${one}/scim/secret/rotate`, id),
  'directories.requests': get(`${one}/requests`, id),
  'users.list': get(`${root}/users`),
  'users.get': get(`${root}/users/{userId}`, 'userId'),
  'groups.list': get(`${root}/groups`),
  'groups.get': get(`${root}/groups/{groupId}`, 'groupId'),
  'groups.members': get(`${root}/groups/{groupId}/members`, 'groupId'),
  'groups.nestedGroups': get(`${root}/groups/{groupId}/nested-groups`, 'groupId'),
  'events.list': get('/api/v1/events'),
  'deliveries.list': get(`${one}/deliveries`, id),
  'deliveries.get': { ...get(`${one}/deliveries/{deliveryId}`, id, 'deliveryId'), takes: 'nothing' },
  'deliveries.retry': { ...post(`${one}/deliveries/{deliveryId}/retry`, id, 'deliveryId'), takes: 'nothing' },
  'deliveries.state': { ...get(`${one}/delivery`, id), takes: 'nothing' },
  'deliveries.pause': { ...post(`${one}/pause`, id), takes: 'nothing' },
  'deliveries.resume': post(`${one}/resume`, id),
  'webhooks.test': { ...post(`${one}/webhook/test`, id), takes: 'nothing' },
  'webhooks.rotateSecret': post(`${one}/webhook/secret/rotate`, id),
  'replays.create': post(`${one}/replays`, id),
  'replays.list': get(`${one}/replays`, id),
  'replays.get': { ...get(`${one}/replays/{replayId}`, id, 'replayId'), takes: 'nothing' },
  'replays.find': { ...get(`${root}/replays/{replayId}`, 'replayId'), takes: 'nothing' },
  'replays.cancel': { ...post(`${one}/replays/{replayId}/cancel`, id, 'replayId'), takes: 'nothing' },
  'syncs.start': post(`${one}/sync`, id),
  'syncs.list': get(`${one}/syncs`, id),
  'syncs.get': { ...get(`${one}/syncs/{runId}`, id, 'runId'), takes: 'nothing' },
  'syncs.cancel': { ...post(`${one}/syncs/{runId}/cancel`, id, 'runId'), takes: 'nothing' },
  'syncs.startAll': { ...post(`${root}/cron/sync-google`), takes: 'nothing' },
  'stats.get': { ...get('/api/v1/stats'), takes: 'nothing' },
  'stats.ofProducts': post('/api/v1/stats/product'),
  'health.ready': { ...get('/health/ready'), takes: 'nothing' },
};

export interface Directory {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: string;
  deactivated: boolean;
  log_webhook_events: boolean;
  scim: { path: string; endpoint: string; secret: string };
  webhook: { endpoint: string; secret: string };
  google_authorization?: string;
  google_authorization_url?: string;
  google_authorization_error?: string | null;
  google_domain?: string;
}
export interface DirectoryWithHealth extends Directory {
  health: {
    last_push_at: string | null;
    last_refusal: { at: string; method: string; path: string; status: number; detail: string } | null;
    users: number;
    groups: number;
    scim_secrets: { id: string; created_at: string | null; expires_at: string | null; last_used_at: string | null }[];
    sync?: { run_id: string; state: string; at: string | null; last_success_at: string | null; error: { message: string } | null };
    delivery: { status: string; reason: string | null; backlog: number; last_success_at: string | null };
  };
}
export interface User {
  id: string;
  first_name: string;
  last_name: string;
  email: string;
  active: boolean;
}
export interface Group {
  id: string;
  name: string;
}
export interface Event {
  event: string;
  tenant: string;
  product: string;
  directory_id: string;
  data: Record<string, unknown> | null;
  id: string;
  sequence: number;
  occurred_at: string;
}
export interface Delivery {
  id: string;
  directory_id: string;
  kind: string;
  status: string;
  from_sequence: number;
  to_sequence: number;
  event_count: number;
  attempts: number;
  next_attempt_at: string | null;
  created_at: string | null;
  done_at: string | null;
}
export interface WholeDelivery extends Delivery {
  body: string | null;
  attempt_log: {
    number: number;
    trigger: string;
    outcome: string;
    status_code: number | null;
    error: string | null;
    url: string;
    started_at: string | null;
    timings: { total_ms: number } | null;
  }[];
}
export interface DeliveryState {
  status: string;
  reason: string | null;
  url: string | null;
  backlog: number;
  acked_sequence: number;
  last_sequence: number;
  oldest_pending_at: string | null;
  first_failure_at: string | null;
  last_success_at: string | null;
  open: { id: string; attempts: number; next_attempt_at: string | null } | null;
  secrets: { id: string; created_at: string | null; expires_at: string | null; last_used_at: string | null }[];
}
export interface Replay {
  id: string;
  directory_id: string;
  mode: string;
  status: string;
  reason: string | null;
  total: number;
  done: number;
  created_at: string | null;
  finished_at: string | null;
}
export interface SyncCounts {
  users: { created: number; updated: number; deleted: number };
  groups: { created: number; updated: number; deleted: number };
  members: { added: number; removed: number };
}
export interface SyncRun {
  id: string;
  directory_id: string;
  state: string;
  phase: string | null;
  trigger: string;
  pages: number;
  seen: { users: number; groups: number; members: number };
  planned: SyncCounts | null;
  changed: SyncCounts;
  refused: number;
  refusals: { external_id: string; reason: string }[];
  notice: string | null;
  error: { code: string; message: string } | null;
  requested_at: string | null;
  finished_at: string | null;
  duration_ms: number | null;
}
export interface RecordedRequest {
  at: string;
  method: string;
  path: string;
  status: number;
  detail: string | null;
  duration_ms: number;
}
export interface Page {
  pageLimit?: number | undefined;
  pageOffset?: number | undefined;
}
export interface Selector {
  tenant?: string | undefined;
  product?: string | undefined;
  directoryId?: string | undefined;
}
type Fields = Record<string, unknown>;
type Call<T, Args extends unknown[], More = unknown> = (...args: [...Args, options?: CallOptions]) => Promise<Result<T, More>>;
export interface Client {
  directories: {
    create: Call<Directory, [Fields]>;
    list: Call<Directory[], [Selector & Page]>;
    listOfProduct: Call<Directory[], [{ product: string } & Page]>;
    get: Call<DirectoryWithHealth, [string]>;
    update: Call<Directory, [string, Fields]>;
    delete: Call<object, [string]>;
    rotateScimSecret: Call<{ secret: string; expires_at: string | null; previous_valid_until: string | null }, [string, Fields]>;
    requests: Call<RecordedRequest[], [string, Page]>;
  };
  users: { list: Call<User[], [Selector & Page]>; get: Call<User, [string, Selector]> };
  groups: {
    list: Call<Group[], [Selector & Page]>;
    get: Call<Group & { members?: { user_id: string }[] }, [string, Selector]>;
    members: Call<{ user_id: string }[], [string, Selector & Page]>;
    nestedGroups: Call<Group[], [string, Selector & Page]>;
  };
  events: { list: Call<Event[], [Fields], { list_metadata: { after: string; has_more: boolean } }> };
  deliveries: {
    list: Call<Delivery[], [string, Page & { status?: string | undefined; kind?: string | undefined }]>;
    get: Call<WholeDelivery, [string, string]>;
    retry: Call<Delivery, [string, string]>;
    state: Call<DeliveryState, [string]>;
    pause: Call<DeliveryState & { settled: boolean }, [string]>;
    resume: Call<DeliveryState, [string, Fields]>;
  };
  webhooks: {
    test: Call<
      {
        id: string;
        url: string;
        outcome: string;
        status_code: number | null;
        error: string | null;
        address: string | null;
        response_body: string | null;
        timings: { total_ms: number } | null;
      },
      [string]
    >;
    rotateSecret: Call<{ secret: string; previous_valid_until: string | null }, [string, Fields]>;
  };
  replays: {
    create: Call<Replay | { dry_run: true; total: number }, [string, Fields]>;
    list: Call<Replay[], [string, Page]>;
    get: Call<Replay, [string, string]>;
    find: Call<Replay, [string]>;
    cancel: Call<Replay, [string, string]>;
  };
  syncs: {
    start: Call<SyncRun, [string, Fields]>;
    list: Call<SyncRun[], [string, Page]>;
    get: Call<SyncRun, [string, string]>;
    cancel: Call<SyncRun, [string, string]>;
    startAll: Call<{ message: string; directories: { directory_id: string; run_id: string; status: string }[] }, []>;
  };
  stats: { get: Call<{ dsync_connections: number }, []>; ofProducts: Call<{ dsync_connections: number }, [Fields]> };
  health: { ready: Call<{ status: string }, []> };
}

export function createClient({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Client {
  const areas: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [area, verb] = name.split('.') as [string, string];
    (areas[area] ??= {})[verb] = (...given: unknown[]) => send({ baseUrl, apiKey, fetch, timeoutMs: undefined }, operation, given);
  }
  return areas as unknown as Client;
}
