import type { Client as GeneratedClient } from './generated/client.ts';
import { operations } from './generated/operations.ts';
import { mirror, type Mirrored, type MirrorOptions, type MirrorStore } from './mirror.ts';
import type { CallOptions, Result } from './result.ts';
import { send, type Service } from './send.ts';
import { readSnapshot, type SnapshotLine } from './snapshot.ts';

export interface Client extends GeneratedClient {
  /**
   * Reads all users, groups and memberships of a directory as they are at one moment. Throws a `SnapshotError` unless it reads the last line.
   * `timeoutMs` is how long it waits for more of the response; default: 60 seconds.
   */
  readSnapshot(directoryId: string, options?: CallOptions): AsyncGenerator<SnapshotLine, void, undefined>;
  /** Keeps the tables of an application in step with a directory. Rejects only if the store does. */
  mirror(store: MirrorStore, options: MirrorOptions): Promise<Result<Mirrored>>;
}

export interface ClientOptions {
  /** The address of the service, for example `http://127.0.0.1:5225`, with the path before `/api` if there is one. */
  baseUrl: string;
  /** One of the service's `API_KEYS`. */
  apiKey: string;
  /** Sends the requests; default: the runtime's own `fetch`. */
  fetch?: typeof fetch | undefined;
  /** How long a call waits for the whole response; default: 30 seconds. A call can override it. */
  timeoutMs?: number | undefined;
}

/** Creates a client for a service. Throws if the options are invalid; calls never reject. */
export function createClient({ baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs }: ClientOptions): Client {
  return callsOf({ baseUrl: readBaseUrl(baseUrl), apiKey: readApiKey(apiKey), fetch, timeoutMs });
}

/** A method for each operation. */
export function callsOf(service: Service): Client {
  const areas: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    const [area, verb] = id.split('.') as [string, string];
    (areas[area] ??= {})[verb] = (...args: unknown[]) => send(service, operation, args);
  }
  const generated = areas as unknown as GeneratedClient;
  const read: Client['readSnapshot'] = (directoryId, options) => readSnapshot(service, directoryId, options);
  return {
    ...generated,
    readSnapshot: read,
    mirror: (store, options) => mirror({ events: generated.events, readSnapshot: read }, store, options),
  };
}

function readBaseUrl(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError(
      'baseUrl must be an http or https address without credentials, query or fragment, for example http://127.0.0.1:5225.',
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function readApiKey(text: unknown): string {
  // The characters that a header can hold (RFC 9110, section 5.5), without spaces.
  if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
    throw new TypeError('apiKey must be one of the API keys of the service, for example rollcall_4f1c….');
  return text;
}
