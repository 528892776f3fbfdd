import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPolis } from '../../bench/support/install.ts';
import { controllers, type DirectorySyncEvent, type DirectorySyncRequest, type IDirectorySyncController } from '../../src/jackson/index.ts';
import { packageRoot } from '../../src/paths.ts';
import { cloneDatabase } from '../support/database.ts';
import { startTestService, type ServiceResponse } from '../support/service.ts';

/** The calls that the scenarios make, in the form of `@boxyhq/saml-jackson`. */
export interface Side {
  name: 'polis' | 'jackson' | 'http';
  controller: IDirectorySyncController;
  /** Sends a SCIM request, and returns the response with the events of the change. */
  push(request: DirectorySyncRequest, headers?: Record<string, string>): Promise<Pushed>;
  /** The same without a callback: events go to the webhook. */
  pushToWebhook(request: DirectorySyncRequest): Promise<unknown>;
  stop(): Promise<void>;
}

interface Pushed {
  status: number;
  data: unknown;
  events: unknown[];
}

const externalUrl = 'https://app.example';
const retries = { WEBHOOK_RETRY_SCHEDULE: '0.05,0.05,0.05' };

const silent = () => undefined;

export async function startPolis(): Promise<Side> {
  installPolis();
  const entry = join(packageRoot, 'bench/polis/node_modules/@boxyhq/saml-jackson/dist/index.js');
  const { default: polis } = (await import(pathToFileURL(entry).href)) as { default: { controllers(options: object): Promise<Started> } };
  const database = await cloneDatabase();
  const { directorySyncController, close } = await polis.controllers({
    externalUrl,
    samlPath: '/api/oauth/saml',
    scimPath: '/api/scim/v2.0',
    db: { engine: 'sql', type: 'postgres', url: database.url },
    noAnalytics: true,
    logger: { info: silent, warn: silent, error: silent },
    dsync: {
      providers: {
        google: {
          clientId: 'client',
          clientSecret: 'secret',
          authorizePath: '/api/scim/oauth/authorize',
          callbackPath: '/api/scim/oauth/callback',
        },
      },
    },
  });
  return toSide('polis', directorySyncController, async () => {
    await close();
    await database.drop();
  });
}

interface Started {
  directorySyncController: IDirectorySyncController;
  close(): Promise<void>;
}

export async function startJackson(): Promise<Side> {
  const database = await cloneDatabase();
  const { directorySyncController, close } = await controllers({
    externalUrl,
    db: { engine: 'sql', type: 'postgres', url: database.url, encryptionKey: randomBytes(16).toString('hex') },
    dsync: { providers: { google: { clientId: 'client', clientSecret: 'secret' } } },
    logLevel: 'silent',
    settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...retries },
  });
  return toSide('jackson', directorySyncController, async () => {
    await close();
    await database.drop();
  });
}

function toSide(name: Side['name'], controller: IDirectorySyncController, stop: Side['stop']): Side {
  return {
    name,
    controller,
    async push(request) {
      const events: DirectorySyncEvent[] = [];
      const { status, data } = await controller.requests.handle(request, async (event) => void events.push(structuredClone(event)));
      return { status, data: structuredClone(data) as unknown, events };
    },
    pushToWebhook: (request) => controller.requests.handle(request),
    stop,
  };
}

/** The service, called over HTTP at the addresses of Polis. */
export async function startHttp(): Promise<Side> {
  const { api, baseUrl, stop } = await startTestService({
    DSYNC_GOOGLE_CLIENT_ID: 'client',
    DSYNC_GOOGLE_CLIENT_SECRET: 'secret',
    ...retries,
  });
  const cursors = new Map<string, string>();
  const call = async (method: string, path: string, body?: unknown) => toResponse(await api(method, `/api/v1/dsync${path}`, body));
  const one = (path: string, query: object) => call('GET', `${path}?${toQuery(query)}`);
  const send = async ({ method, directoryId, resourceType, resourceId, apiSecret, query, body }: DirectorySyncRequest, headers = {}) => {
    const path = [directoryId, resourceType, ...(resourceId ? [resourceId] : [])].join('/');
    const response = await fetch(`${baseUrl}/api/scim/v2.0/${path}?${toQuery(query)}`, {
      method,
      headers: { authorization: `Bearer ${apiSecret}`, 'content-type': 'application/scim+json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, data: text === '' ? {} : (JSON.parse(text) as unknown) };
  };
  const controller = {
    directories: {
      create: (body: object) => call('POST', '', body),
      get: (id: string) => call('GET', `/${id}`),
      update: (id: string, body: object) => call('PATCH', `/${id}`, body),
      delete: (id: string) => call('DELETE', `/${id}`),
      getByTenantAndProduct: (tenant: string, product: string) => one('', { tenant, product }),
      filterBy: (query: object) => one('/product', query),
    },
    users: { setTenantAndProduct: (tenant: string, product: string) => toList('/users', { tenant, product }) },
    groups: {
      setTenantAndProduct: (tenant: string, product: string) => ({
        ...toList('/groups', { tenant, product }),
        getGroupMembers: ({ groupId, ...page }: { groupId: string }) => one(`/groups/${groupId}/members`, { tenant, product, ...page }),
      }),
    },
    webhookLogs: {
      setTenantAndProduct: (tenant: string, product: string) => {
        const { getAll, get } = toList('/events', { tenant, product });
        return { getAll: async () => withoutNoError(await getAll()), get: async (id: string) => (await get(id)).data };
      },
    },
    requests: { handle: (request: DirectorySyncRequest) => send(request) },
  } as unknown as IDirectorySyncController;
  return {
    name: 'http',
    controller,
    async push(request, headers) {
      const response = await send(request, headers);
      return { ...response, events: await newEvents(request.directoryId) };
    },
    pushToWebhook: send,
    stop,
  };

  function toList(path: string, owner: object) {
    return {
      getAll: (query: object = {}) => one(path, { ...owner, ...query }),
      get: (id: string) => one(`${path}/${id}`, owner),
    };
  }

  async function newEvents(directoryId: string): Promise<unknown[]> {
    const after = cursors.get(directoryId);
    const { body } = await api('GET', `/api/v1/events?${toQuery({ directory_id: directoryId, after, limit: 500 })}`);
    if (!body.data) return [];
    cursors.set(directoryId, body.list_metadata.after);
    return body.data as unknown[];
  }
}

/** A response as the library returns it: the code of an error is the HTTP status. */
function toResponse({ status, body }: ServiceResponse) {
  if (status >= 400) return { data: null, error: { message: body.error.message as string, code: body.error.status as number } };
  return { data: body.data as unknown, error: null };
}

/** As in Polis, whose log has no errors. */
const withoutNoError = ({ error, ...rest }: { data: unknown; error: unknown }) => (error ? { error, ...rest } : rest);

const toQuery = (query: object): string =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])),
  ).toString();
