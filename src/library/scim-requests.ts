import { stringifyBounded, type JsonBounds } from '../client/stringify-bounded.ts';
import { findClosest, suggest } from '../shared/suggest.ts';
import type { EventCallbacks } from './event-callbacks.ts';
import type { EventCallback } from './rollcall-options.ts';
import type { Inject, InjectedRequest } from './inject.ts';

/** A SCIM request that your server received. */
export interface ScimRequest {
  method: string | undefined;
  directoryId: string;
  /** The resource type in the address: users, groups, or another endpoint such as `Schemas`. */
  resourceType: 'users' | 'groups' | (string & {});
  /** The ID of a single user or group. */
  resourceId?: string | undefined;
  /** Parsed, or as text or bytes. */
  body?: unknown;
  /** The SCIM secret from the `Authorization` header, with or without `Bearer`. */
  apiSecret?: string | null | undefined;
  query?: Record<string, string | number | string[] | undefined>;
}

export interface ScimResponse {
  /** The HTTP status to respond with. */
  status: number;
  /** The JSON body to respond with; null if there is none. */
  data: unknown;
  /** Response headers, such as `ETag` and `Location`. */
  headers: Record<string, string>;
}

export interface ScimRequests {
  /**
   * Handles any request of an identity provider. The callback receives each event once its change is committed, before this promise
   * resolves.
   */
  handle(request: ScimRequest, callback?: EventCallback): Promise<ScimResponse>;
}

const endpoints: Record<string, string> = { users: 'Users', groups: 'Groups' };

export function createScimRequests({
  send,
  callbacks,
  limits,
}: {
  send: Inject;
  callbacks: Pick<EventCallbacks, 'runWithCallback'>;
  limits: { maxBodyBytes: number; maxBodyValues: number };
}): ScimRequests {
  const bounds = { maxValues: limits.maxBodyValues, maxChars: limits.maxBodyBytes };
  return {
    async handle(request, callback) {
      if (callback !== undefined && typeof callback !== 'function')
        throw new TypeError('requests.handle: the second argument must be a function, like async (event) => { … }, or be omitted.');
      const invalid = findInvalidRequest(request);
      if (invalid) return invalid;
      const injected = tryToInjected(request, bounds);
      if (injected === 'unreadable')
        return createErrorResponse(
          400,
          'The request cannot be read: its body is nested too deeply or is not JSON, or a field that must be text is not.',
        );
      if (injected === 'too large')
        return createErrorResponse(
          413,
          `The body is larger than ${bounds.maxChars} bytes (MAX_BODY_BYTES) or holds more than ${bounds.maxValues} JSON values (MAX_BODY_VALUES).`,
        );
      const { status, headers, body } = await callbacks.runWithCallback(callback, () => send(injected));
      return { status, data: body === '' ? null : (JSON.parse(body) as unknown), headers };
    },
  };
}

const fields = ['method', 'directoryId', 'resourceType', 'resourceId', 'body', 'apiSecret', 'query'];

/** Servers pass on whatever they receive, so an invalid request gets an error response instead of an exception. */
function findInvalidRequest(request: Partial<ScimRequest> | undefined): ScimResponse | undefined {
  for (const name of Object.keys(request ?? {})) {
    const suggestion = fields.includes(name) ? undefined : findClosest(name, fields);
    if (suggestion !== undefined) return createErrorResponse(400, `requests.handle: unknown field ${name}.${suggest(suggestion)}`);
  }
  if (typeof request?.method !== 'string') return createErrorResponse(400, 'requests.handle: method must be an HTTP method, like "POST".');
  const missing = (['directoryId', 'resourceType'] as const).find((name) => typeof request[name] !== 'string' || request[name] === '');
  if (missing === undefined) return undefined;
  return createErrorResponse(404, `${missing} is required: a SCIM address looks like /api/scim/v2.0/<directoryId>/Users.`);
}

const createErrorResponse = (status: number, detail: string): ScimResponse => ({
  status,
  data: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status), detail },
  headers: { 'content-type': 'application/scim+json' },
});

/** A framework may pass on objects that cannot be converted to text or JSON: deeply nested ones, or one with its own `toString`. */
function tryToInjected(request: ScimRequest, bounds: JsonBounds): InjectedRequest | 'unreadable' | 'too large' {
  try {
    return toInjected(request, bounds);
  } catch {
    return 'unreadable';
  }
}

function toInjected(
  { method, directoryId, resourceType, resourceId, body, apiSecret, query }: ScimRequest,
  bounds: JsonBounds,
): InjectedRequest | 'too large' {
  // Other endpoints (`Schemas`, `Bulk`) keep their name; unknown ones get an error from the API.
  const endpoint = endpoints[resourceType.toLowerCase()] ?? encode(resourceType);
  const one = resourceId ? `/${encode(resourceId)}` : '';
  const written = toText(body, bounds);
  if (!written) return 'too large';
  const { text } = written;
  return {
    method: method!.toUpperCase(),
    path: `/api/scim/v2.0/${encode(directoryId)}/${endpoint}${one}${toQuery(query)}`,
    headers: {
      ...(apiSecret && { authorization: `Bearer ${apiSecret.replace(/^Bearer\s+/i, '')}` }),
      ...(text !== undefined && { 'content-type': 'application/scim+json' }),
    },
    body: text,
  };
}

/** Paths may contain anything, including lone surrogates. */
const encode = (segment: string) => encodeURIComponent(segment.toWellFormed());

/** Undefined if the body is too large to be written as JSON. */
function toText(body: unknown, bounds: JsonBounds): { text: string | undefined } | undefined {
  if (body === undefined || body === null) return { text: undefined };
  if (typeof body === 'string') return { text: body };
  return body instanceof Uint8Array ? { text: Buffer.from(body).toString() } : stringifyBounded(body, bounds);
}

function toQuery(query: ScimRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, given] of Object.entries(query))
    for (const value of [given].flat()) if (value !== undefined && value !== null) parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
