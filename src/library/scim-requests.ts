import { nearest } from '../shared/suggest.ts';
import type { EventHandover } from './event-handover.ts';
import type { EventCallback } from './rollcall-options.ts';
import type { Inject, Injected } from './inject.ts';

/** A SCIM request as a server of yours received it. */
export interface ScimRequest {
  method: string | undefined;
  directoryId: string;
  /** What stands in the address: users or groups; `Schemas` and others are answered, too. */
  resourceType: 'users' | 'groups' | (string & {});
  /** Of a single user or group. */
  resourceId?: string | undefined;
  /** Parsed, or as it came: text or bytes. */
  body?: unknown;
  /** The SCIM secret that the provider sent, with or without the `Bearer` of its `Authorization` header. */
  apiSecret?: string | null | undefined;
  query?: Record<string, string | number | string[] | undefined>;
}

export interface ScimAnswer {
  /** Which HTTP status to answer with. */
  status: number;
  /** The body to answer with, as JSON; null where there is none. */
  data: unknown;
  /** `ETag`, `Location` and others that a provider may look at. */
  headers: Record<string, string>;
}

export interface ScimRequests {
  /**
   * Answers a request of an identity provider, whatever it is; the callback receives each event once its
   * change is committed, before the answer is given.
   */
  handle(request: ScimRequest, callback?: EventCallback): Promise<ScimAnswer>;
}

const endpoints: Record<string, string> = { users: 'Users', groups: 'Groups' };

export function createScimRequests({ send, handover }: { send: Inject; handover: Pick<EventHandover, 'during'> }): ScimRequests {
  return {
    async handle(request, callback) {
      if (callback !== undefined && typeof callback !== 'function')
        throw new TypeError('requests.handle: its second argument is a function, like async (event) => { … }, or is left out.');
      const refusal = findRefusal(request);
      if (refusal) return refusal;
      const injected = tryToInject(request);
      if (!injected)
        return refused(400, 'This request cannot be read: its body is nested too deeply or is no JSON, or what should be text is none.');
      const { status, headers, body } = await handover.during(callback, () => send(injected));
      return { status, data: body === '' ? null : (JSON.parse(body) as unknown), headers };
    },
  };
}

const fields = ['method', 'directoryId', 'resourceType', 'resourceId', 'body', 'apiSecret', 'query'];

/** A server passes on what came, whatever it is. What can be no request is answered, not thrown: a stranger may have sent it. */
function findRefusal(request: Partial<ScimRequest> | undefined): ScimAnswer | undefined {
  const unknown = Object.keys(request ?? {}).find((name) => !fields.includes(name) && nearest(name, fields));
  if (unknown !== undefined) return refused(400, `requests.handle knows no ${unknown}. Did you mean ${nearest(unknown, fields)}?`);
  if (typeof request?.method !== 'string')
    return refused(400, 'requests.handle: method must be the HTTP method of the request, like "POST".');
  const missing = (['directoryId', 'resourceType'] as const).find((name) => typeof request[name] !== 'string' || request[name] === '');
  if (missing === undefined) return undefined;
  return refused(
    404,
    `There is nothing at this address: ${missing} is missing. A SCIM address is like /api/scim/v2.0/<directoryId>/Users.`,
  );
}

const refused = (status: number, detail: string): ScimAnswer => ({
  status,
  data: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status), detail },
  headers: { 'content-type': 'application/scim+json' },
});

/** A framework may have made anything of what a stranger sent: objects in objects in objects, or what no text can be made of. */
function tryToInject(request: ScimRequest): Injected | undefined {
  try {
    return toInjected(request);
  } catch {
    return undefined;
  }
}

function toInjected({ method, directoryId, resourceType, resourceId, body, apiSecret, query }: ScimRequest): Injected {
  // Whatever else a provider asks for (`Schemas`, `Bulk`) goes by its own name, and what there is not is answered as that.
  const endpoint = endpoints[resourceType.toLowerCase()] ?? encode(resourceType);
  const one = resourceId ? `/${encode(resourceId)}` : '';
  const text = toText(body);
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

/** Whatever stood in a path, also half a character: nobody is to be stopped by it. */
const encode = (segment: string) => encodeURIComponent(segment.toWellFormed());

function toText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString() : JSON.stringify(body);
}

function toQuery(query: ScimRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, given] of Object.entries(query))
    for (const value of [given].flat()) if (value !== undefined && value !== null) parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
