import { z } from 'zod';
import { ProviderError } from '../../directory/sync/provider.ts';
import { isObject, parseJsonKeepingDigits } from '../../scim/json.ts';
import { orAborted } from '../../shared/timeout.ts';
import { explainStatus, send, type EntraResponse } from './send.ts';
import type { EntraAddresses } from './settings.ts';
import type { TenantTokens } from './tokens.ts';

/** Requests to Microsoft Graph about one tenant. */
export interface Graph {
  /** Reads a page. The path begins with a slash; a link is an address that Graph has returned, and is used as it is. */
  readPage(pathOrLink: string, signal: AbortSignal): Promise<GraphPage>;
  /** Reads single objects, 20 in a request. `undefined`: the object does not exist. */
  readEach(paths: string[], signal: AbortSignal): Promise<(Record<string, unknown> | undefined)[]>;
}

export interface GraphPage {
  value: unknown[];
  nextLink: string | undefined;
  deltaLink: string | undefined;
}

const pageSchema = z.looseObject({
  value: z.array(z.unknown()),
  '@odata.nextLink': z.string().min(1).optional(),
  '@odata.deltaLink': z.string().min(1).optional(),
});

const batchSchema = z.looseObject({
  responses: z.array(z.looseObject({ id: z.string(), status: z.number(), headers: z.record(z.string(), z.unknown()).optional() })),
});

const requestsPerBatch = 20;
/** Graph's pages have at most 999 objects. Each one may need a request of its own, and a step ends only between two pages. */
const maxPageLength = 10_000;

export function createGraph(tenant: string, tokens: TenantTokens, addresses: EntraAddresses): Graph {
  const { origin } = new URL(addresses.graphUrl);
  return {
    async readPage(pathOrLink, signal) {
      const body = await request(toAddress(pathOrLink), undefined, signal);
      const read = pageSchema.safeParse(body);
      if (!read.success) throw undocumented('a page');
      const { value, '@odata.nextLink': nextLink, '@odata.deltaLink': deltaLink } = read.data;
      if (value.length > maxPageLength) throw undocumented('a page of too many objects');
      for (const link of [nextLink, deltaLink]) if (link !== undefined) assertSameOrigin(link);
      return { value, nextLink, deltaLink };
    },

    async readEach(paths, signal) {
      const found: (Record<string, unknown> | undefined)[] = [];
      for (let from = 0; from < paths.length; from += requestsPerBatch)
        found.push(...(await readBatch(paths.slice(from, from + requestsPerBatch), signal)));
      return found;
    },
  };

  async function readBatch(paths: string[], signal: AbortSignal) {
    const requests = paths.map((url, index) => ({ id: String(index), method: 'GET', url }));
    const readOnce = async () => {
      const read = batchSchema.safeParse(await request(toAddress('/$batch'), { requests }, signal));
      if (!read.success) throw undocumented('a batch');
      return read.data.responses;
    };
    let responses = await readOnce();
    if (responses.some(isDenied)) {
      await renewToken(await orAborted(tokens.get(tenant), signal), signal);
      responses = await readOnce();
    }
    const byId = new Map(responses.map((response) => [response.id, response]));
    return paths.map((_, index) => {
      const response = byId.get(String(index));
      if (!response) throw undocumented('a batch');
      const { status, headers = {}, body } = response;
      const text = JSON.stringify(body ?? null);
      if (isNotFound({ status, text })) return undefined;
      const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
      if (status !== 200)
        throw explainGraphError({ status, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined, text }, paths[index]!);
      if (!isObject(body)) throw undocumented('a batch');
      return body;
    });
  }

  function toAddress(pathOrLink: string): string {
    if (pathOrLink.startsWith('/')) return `${addresses.graphUrl}/v1.0${pathOrLink}`;
    assertSameOrigin(pathOrLink);
    return pathOrLink;
  }

  /** The token must not be sent anywhere else, whatever a link says. */
  function assertSameOrigin(link: string): void {
    if (!URL.canParse(link) || new URL(link).origin !== origin)
      throw new ProviderError('invalid_response', 'Microsoft Graph returned a link to another address, which was not followed.');
  }

  /** Retries once with a new token: a token may be revoked early, and lacks permissions that were granted after it was issued. */
  async function request(url: string, body: object | undefined, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const token = await orAborted(tokens.get(tenant), signal);
    const first = await sendWith(token, url, body, signal);
    const response = isDenied(first) ? await sendWith(await renewToken(token, signal), url, body, signal) : first;
    if (response.status !== 200) throw explainGraphError(response, url);
    try {
      return parseJsonKeepingDigits(response.text);
    } catch {
      throw undocumented('a response');
    }
  }

  function renewToken(rejected: string, signal: AbortSignal): Promise<string> {
    return orAborted(tokens.get(tenant, rejected), signal);
  }

  function sendWith(token: string, url: string, body: object | undefined, signal: AbortSignal): Promise<EntraResponse> {
    return send({
      method: body ? 'POST' : 'GET',
      url,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'x-ms-throttle-priority': 'Low',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs: addresses.requestTimeoutMs,
      signal,
    });
  }
}

export const undocumented = (what: string) =>
  new ProviderError('invalid_response', `Microsoft Graph returned ${what} that does not match its documentation.`);

/** Codes of links that are too old, or that Graph has lost. */
const resetCodes = /^(syncStateNotFound|syncStateInvalid|resyncRequired|resyncChanges\w*|expiredToken)$/i;

const isDenied = ({ status }: { status: number }) => status === 401 || status === 403;

/** A 404 with another code may come from a proxy, or from a service that is starting. */
const isNotFound = ({ status, text }: Pick<EntraResponse, 'status' | 'text'>) => status === 404 && notFoundCode.test(readCode(text));

const notFoundCode = /^(Request_)?ResourceNotFound$/i;

function explainGraphError(response: EntraResponse, url: string): ProviderError {
  const { status } = response;
  const code = readCode(response.text);
  if (status === 410 || resetCodes.test(code))
    return new ProviderError('reset', 'Microsoft Graph no longer knows the state that this sync continues from.');
  if (status === 401)
    return new ProviderError('unauthorized', 'Microsoft Graph does not accept the token of this tenant. Authorize again.');
  if (status === 403 && /^Authorization_/i.test(code)) return new ProviderError('unauthorized', describeMissingPermission(url));
  if (isNotFound(response)) return new ProviderError('not_found', 'Microsoft Graph does not know the requested object (404).');
  if (status === 404) return new ProviderError('unreachable', 'Microsoft Graph returned 404 without saying that the object is gone.');
  return (
    explainStatus(response) ??
    (status >= 200 && status < 400
      ? undocumented(`a response with an unexpected status (${status})`)
      : new ProviderError('rejected', `Microsoft Graph rejected the request (${status}${/^\w{1,60}$/.test(code) ? `, ${code}` : ''}).`))
  );
}

const describeMissingPermission = (url: string) =>
  url.includes('/servicePrincipals')
    ? 'Microsoft Graph does not allow the application to read its assignments: a permission or its consent is missing. Add Application.Read.All to the application, and authorize again.'
    : 'Microsoft Graph does not allow the application to read users and groups: a permission or its consent is missing. Add User.Read.All and GroupMember.Read.All to the application, and authorize again.';

function readCode(text: string): string {
  try {
    const body = parseJsonKeepingDigits(text);
    const error = isObject(body) ? body['error'] : undefined;
    const code = isObject(error) ? error['code'] : undefined;
    return typeof code === 'string' ? code : '';
  } catch {
    return '';
  }
}
