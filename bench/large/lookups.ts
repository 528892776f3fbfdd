import { randomInt } from 'node:crypto';
import { createClient, type Client } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import type { RunningSide } from '../support/sides.ts';
import {
  dayMs,
  days,
  deliveryId,
  eventsPerDelivery,
  groupId,
  productOf,
  secret,
  tenantOf,
  userId,
  userTag,
  type Layout,
} from './layout.ts';

/** Lists and look-ups by name. Each function sends one request and returns its time in milliseconds. */
export type Lookups = Record<string, () => Promise<number>>;

interface Page {
  totalResults: number;
  nextCursor?: string;
  Resources: object[];
}

const latePage = 1000;
const pageSize = 100;

const ofOwner = (directory: number) => `tenant=${tenantOf(directory)}&product=${productOf(directory)}`;

/** All lists and look-ups, each of another random directory unless its name says "largest". */
export async function createLookups(rollcall: RunningSide, layout: Layout, cleanup: Cleanup): Promise<Lookups> {
  const client = createClient({ baseUrl: rollcall.baseUrl, signal: cleanup.signal });
  cleanup.add(() => client.close());
  const api = createApi(client, rollcall.apiKey);
  const scim = createScim(client, layout);
  const anyDirectory = () => randomInt(Math.min(1, layout.sizes.directories - 1), layout.sizes.directories);
  const anyUser = (directory: number) => randomInt(layout.usersOf(directory));
  const id = (directory: number) => layout.ids[directory]!;
  const pages = Math.min(latePage, Math.floor(layout.usersOf(0) / pageSize));
  const lateCursor = await scim.walk(0, pages);
  const eventIds = await api.readEventIds(id(0));

  const find = (filter: (tag: string) => string, directory = anyDirectory()) =>
    scim.list(directory, 'Users', { filter: filter(userTag(directory, anyUser(directory))) });
  const directorySync = '/api/v1/directory-sync';
  const usersPath = (directory: number) => `${directorySync}/users?directory_id=${id(directory)}`;
  const findUser = (filter: (tag: string) => string, directory = anyDirectory()) =>
    api.find(`${usersPath(directory)}&${filter(userTag(directory, anyUser(directory)))}`);

  return {
    'SCIM: user by userName': () => find((tag) => `userName eq "ada.${tag}@example.com"`),
    'SCIM: user by userName, largest': () => find((tag) => `userName eq "ada.${tag}@example.com"`, 0),
    'SCIM: user by externalId': () => find((tag) => `externalId eq "00u${tag}"`),
    'SCIM: user by work email': () => find((tag) => `emails[type eq "work"].value eq "ada.${tag}@example.com"`),
    'SCIM: user by displayName': () => find((tag) => `displayName eq "Ada Lovelace ${tag}"`),
    'SCIM: user by ID, with groups': () => {
      const directory = anyDirectory();
      return scim.get(directory, `Users/${userId(directory, anyUser(directory))}`);
    },
    'SCIM: group by displayName': () => {
      const directory = anyDirectory();
      return scim.list(directory, 'Groups', { filter: `displayName eq "Group d${directory}g0"` });
    },
    'SCIM: groups of a user': () => {
      const directory = anyDirectory();
      return scim.list(directory, 'Groups', { filter: `members.value eq "${userId(directory, 0)}"` });
    },
    'SCIM: group with its members': () => {
      const directory = anyDirectory();
      return scim.get(directory, `Groups/${groupId(directory, 0)}`);
    },
    'SCIM: groups, first page': () => scim.page(anyDirectory(), 'Groups', { count: '20', excludedAttributes: 'members' }),
    'SCIM: users, first page': () => scim.page(anyDirectory(), 'Users', { cursor: '', count: '100' }),
    [`SCIM: users, page ${pages}, largest`]: () => scim.page(0, 'Users', { cursor: lateCursor, count: '100' }),
    'API: users of a directory': () => api.get(`${directorySync}/users?directory_id=${id(anyDirectory())}`),
    'API: users of a tenant': () => api.get(`${directorySync}/users?${ofOwner(anyDirectory())}`),
    'API: users by search': () => findUser((tag) => `search=${tag}`),
    'API: user by email': () => findUser((tag) => `email=ada.${tag}@example.com`),
    'API: user by email, largest': () => findUser((tag) => `email=ada.${tag}@example.com`, 0),
    'API: user by user name': () => findUser((tag) => `user_name=ada.${tag}@example.com`),
    'API: user by idp_id': () => findUser((tag) => `idp_id=00u${tag}`),
    'API: users of a group': () => {
      const directory = anyDirectory();
      return api.find(`${usersPath(directory)}&group_id=${groupId(directory, 0)}`);
    },
    'API: active users': () => api.find(`${usersPath(anyDirectory())}&state=active`),
    'API: inactive users, of which there are none': () => api.get(`${usersPath(anyDirectory())}&state=inactive`),
    'API: users that changed since a time': () =>
      api.find(`${usersPath(anyDirectory())}&updated_after=${new Date(Date.now() - dayMs).toISOString()}`),
    'API: users with groups': () => api.find(`${usersPath(anyDirectory())}&include=groups`),
    'API: user with groups': () => {
      const directory = anyDirectory();
      return api.get(`${directorySync}/users/${userId(directory, anyUser(directory))}?directory_id=${id(directory)}&include=groups`);
    },
    'API: groups of a user': () => {
      const directory = anyDirectory();
      return api.find(`${directorySync}/users/${userId(directory, 0)}/groups?directory_id=${id(directory)}`);
    },
    'API: events of a user': () => {
      const directory = anyDirectory();
      return api.get(`${directorySync}/${id(directory)}/users/${userId(directory, anyUser(directory))}/export?only=events&order=desc`);
    },
    'API: groups of a directory': () => api.get(`${directorySync}/groups?directory_id=${id(anyDirectory())}`),
    'API: members of a group': () => {
      const directory = anyDirectory();
      return api.get(`${directorySync}/groups/${groupId(directory, 0)}/members?directory_id=${id(directory)}`);
    },
    'API: directory': () => api.get(`${directorySync}/${id(anyDirectory())}`),
    'API: directories of a tenant': () => api.get(`${directorySync}?${ofOwner(anyDirectory())}`),
    'API: directories of a product': () => api.get(`${directorySync}/product?product=${productOf(anyDirectory())}`),
    'API: all directories': () => api.get(`${directorySync}/all`),
    'API: directories by search': () => api.find(`${directorySync}/all?search=${tenantOf(anyDirectory())}`),
    'API: unhealthy directories': () => api.get(`${directorySync}/all?health=unhealthy`),
    'API: number of directories': () => api.get('/api/v1/stats'),
    'API: overview': () => api.get('/api/v1/overview'),
    'API: activity of a directory': () => api.get(`${directorySync}/${id(anyDirectory())}/activity`),
    'API: OAuth clients of a directory': () => api.get(`${directorySync}/${id(anyDirectory())}/scim/clients`),
    'API: all setup links': () => api.get(`${directorySync}/setuplinks/all`),
    'API: setup links of a product': () => api.get(`${directorySync}/setuplinks/product?product=${productOf(anyDirectory())}`),
    'API: API keys': () => api.get('/api/v1/api-keys'),
    'API: audit log': () => api.find('/api/v1/audit-log'),
    'API: audit log of a directory': () => api.get(`/api/v1/audit-log?directory_id=${id(anyDirectory())}`),
    'API: audit log of a tenant': () => api.get(`/api/v1/audit-log?${ofOwner(anyDirectory())}`),
    'API: requests of a directory': () => api.get(`${directorySync}/${id(anyDirectory())}/requests`),
    'API: requests of a user': () => {
      const directory = anyDirectory();
      return api.get(`${directorySync}/${id(directory)}/requests?user=${userId(directory, 0)}`);
    },
    'API: delivery state': () => api.get(`${directorySync}/${id(anyDirectory())}/delivery`),
    'API: deliveries': () => api.get(`${directorySync}/${id(anyDirectory())}/deliveries`),
    'API: deliveries, largest': () => api.get(`${directorySync}/${id(0)}/deliveries`),
    'API: deliveries of all directories': () => api.find('/api/v1/deliveries'),
    'API: deliveries of a tenant': () => api.get(`/api/v1/deliveries?${ofOwner(anyDirectory())}`),
    'API: pending deliveries of all directories': () => api.get('/api/v1/deliveries?status=pending'),
    'API: delivery with attempts': () => {
      const event = anyDelivered(layout);
      return api.get(`${directorySync}/${id(layout.directoryOfEvent(event))}/deliveries/${deliveryId(event)}`);
    },
    'API: webhook events': () => api.get(`${directorySync}/events?directory_id=${id(anyDirectory())}`),
    'API: webhook events, largest': () => api.get(`${directorySync}/events?directory_id=${id(0)}`),
    'API: webhook events of a tenant': () => api.get(`${directorySync}/events?${ofOwner(anyDirectory())}`),
    'API: replays': () => api.get(`${directorySync}/${id(anyDirectory())}/replays`),
    'API: event to replay, by ID, largest': () =>
      api.post(`${directorySync}/${id(0)}/replays`, { mode: 'single', event_id: eventIds[randomInt(eventIds.length)], dry_run: true }),
    'API: events to replay, by time, largest': () => {
      const from = Date.now() - dayMs;
      const to = new Date(from + Math.max(300_000, (10 * days * dayMs) / layout.eventsOf(0))).toISOString();
      return api.post(`${directorySync}/${id(0)}/replays`, { mode: 'range', from: new Date(from).toISOString(), to, dry_run: true });
    },
    'Feed: of a directory, first page': () => api.get(`/api/v1/events?directory_id=${id(anyDirectory())}`),
    'Feed: of a directory, newest': () => api.get(`/api/v1/events?order=desc&directory_id=${id(anyDirectory())}`),
    'Feed: of a directory, from a time': () =>
      api.get(`/api/v1/events?directory_id=${id(0)}&range_start=${new Date(Date.now() - randomInt(600_000_000)).toISOString()}`),
    'Feed: of a tenant, first page': () => api.get(`/api/v1/events?${ofOwner(anyDirectory())}`),
    'Feed: of all directories, first page': () => api.get('/api/v1/events'),
    'Feed: of all directories, newest': () => api.get('/api/v1/events?order=desc'),
    'Feed: of all directories, from a time': () =>
      api.get(`/api/v1/events?range_start=${new Date(Date.now() - randomInt(600_000_000)).toISOString()}`),
    Metrics: () => api.get('/metrics'),
  };
}

/** Deliveries of the largest directory are older than retention at the beginning, and those of the others may be. */
function anyDelivered({ sizes }: Layout): number {
  return (
    eventsPerDelivery * randomInt(Math.floor(sizes.events / 4 / eventsPerDelivery), Math.floor((sizes.events * 0.7) / eventsPerDelivery))
  );
}

const search = (query: Record<string, string>) => new URLSearchParams(query).toString();

function createScim(client: Client, layout: Layout) {
  const request = (directory: number, path: string) => ({
    method: 'GET' as const,
    path: `/api/scim/v2.0/${layout.ids[directory]!}/${path}`,
    secret,
    statuses: [200],
  });
  return {
    get: async (directory: number, path: string) => timed(await client.send(request(directory, path))),

    /** Fails if nothing is found. */
    async list(directory: number, path: string, query: Record<string, string>): Promise<number> {
      const { ms, text, failure } = await client.send(request(directory, `${path}?${search(query)}`));
      if (failure !== undefined || (JSON.parse(text) as Page).totalResults < 1)
        throw new Error(`${JSON.stringify(query)} found nothing: ${failure ?? text.slice(0, 200)}`);
      return ms;
    },

    async page(directory: number, path: string, query: Record<string, string>): Promise<number> {
      const { ms, text, failure } = await client.send(request(directory, `${path}?${search(query)}`));
      if (failure !== undefined || (JSON.parse(text) as Page).Resources.length === 0) throw new Error(failure ?? 'A page is empty.');
      return ms;
    },

    /** Reads pages of users by cursor, and returns the cursor of the last one. */
    async walk(directory: number, pages: number): Promise<string> {
      let cursor = '';
      for (let page = 1; page < pages; page += 1) {
        const query = search({ cursor, count: String(pageSize) });
        cursor = (await client.fetch<Page>(request(directory, `Users?${query}`))).nextCursor!;
      }
      return cursor;
    },
  };
}

function createApi(client: Client, apiKey: string) {
  const headers = { authorization: `Api-Key ${apiKey}` };
  const send = (method: 'GET' | 'POST', path: string, body?: object) =>
    client.send({
      method,
      path,
      secret: '',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body }),
      statuses: [200],
    });
  return {
    get: async (path: string) => timed(await send('GET', path)),
    /** Fails if the list is empty. */
    async find(path: string): Promise<number> {
      const { ms, text, failure } = await send('GET', path);
      if (failure !== undefined || (JSON.parse(text) as { data: object[] }).data.length === 0)
        throw new Error(`${path} found nothing: ${failure ?? text.slice(0, 200)}`);
      return ms;
    },
    post: async (path: string, body: object) => timed(await send('POST', path, body)),
    async readEventIds(directoryId: string): Promise<string[]> {
      const { text, failure } = await send('GET', `/api/v1/events?order=desc&limit=1000&directory_id=${directoryId}`);
      if (failure !== undefined) throw new Error(failure);
      return (JSON.parse(text) as { data: { id: string }[] }).data.map((event) => event.id);
    },
  };
}

function timed({ ms, failure }: { ms: number; failure?: string }): number {
  if (failure !== undefined) throw new Error(failure);
  return ms;
}
