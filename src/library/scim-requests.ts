import type { EventHandover } from './event-handover.ts';
import type { EventCallback } from './rollcall-options.ts';
import type { Inject, Injected } from './inject.ts';

/** A SCIM request as a server of yours received it. */
export interface ScimRequest {
  method: string | undefined;
  directoryId: string;
  resourceType: 'users' | 'groups';
  /** Of a single user or group. */
  resourceId?: string | undefined;
  /** Parsed, or as it came: text or bytes. */
  body?: unknown;
  /** The SCIM secret that the provider sent: what follows `Bearer` in its `Authorization` header. */
  apiSecret?: string | null | undefined;
  query?: Record<string, string | number | string[] | undefined>;
}

export interface ScimAnswer {
  /** Which HTTP status to answer with. */
  status: number;
  /** The body to answer with, as JSON; null where there is none. */
  // A SCIM body may be anything, and its reader knows what was asked.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  /** `ETag`, `Location` and others that a provider may look at. */
  headers: Record<string, string>;
}

export interface ScimRequests {
  /**
   * Answers a request of an identity provider. It never rejects for what the provider did; the callback receives each event once its
   * change is committed, before the answer is given.
   */
  handle(request: ScimRequest, callback?: EventCallback): Promise<ScimAnswer>;
}

const endpoints: Record<string, string> = { users: 'Users', groups: 'Groups' };

export function createScimRequests({ send, handover }: { send: Inject; handover: Pick<EventHandover, 'during'> }): ScimRequests {
  return {
    async handle(request, callback) {
      const injected = toInjected(request);
      const { status, headers, body } = await handover.during(callback, () => send(injected));
      return { status, data: body === '' ? null : (JSON.parse(body) as unknown), headers };
    },
  };
}

/** A server passes on what came, whatever it is: what is not there is nothing that a provider could ask for. */
function toInjected(request: Partial<ScimRequest>): Injected {
  const { method = 'GET', directoryId = '', resourceType = '', resourceId, body, apiSecret, query } = request;
  // Whatever else a provider asks for (`Schemas`, `Bulk`) goes by its own name, and what there is not is answered as that.
  const endpoint = endpoints[resourceType.toLowerCase()] ?? encode(resourceType);
  const one = resourceId ? `/${encode(resourceId)}` : '';
  const text = toText(body);
  return {
    method: method.toUpperCase(),
    path: `/api/scim/v2.0/${encode(directoryId)}/${endpoint}${one}${toQuery(query)}`,
    headers: {
      ...(apiSecret && { authorization: `Bearer ${apiSecret}` }),
      ...(text !== undefined && { 'content-type': 'application/scim+json' }),
    },
    body: text,
  };
}

/** Whatever stood in a path, also half a character: nobody is to be stopped by it. */
const encode = (segment: unknown) => encodeURIComponent(String(segment).toWellFormed());

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
