import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deploymentScopes, scopes } from '../../src/access/scopes.ts';
import type { Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/http/operations.ts';
import { createKey, keysPath, type TestKey } from '../support/api-keys.ts';
import { clientsPath, createClient } from '../support/oauth-clients.ts';
import { createOperated, root } from '../support/operate.ts';
import { startReceiver, take, type Receiver } from '../support/receiver.ts';
import { createLink, linksPath, webhook } from '../support/setup-links.ts';
import { startTestService, type ServiceResponse, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { untilReadable } from '../support/until-readable.ts';

/** Directories that contain resources of each kind. Names contain the key of their directory here. */
const owners = {
  own: { tenant: 'tenant-one', product: 'product-one' },
  sibling: { tenant: 'tenant-one', product: 'product-one' },
  otherTenant: { tenant: 'tenant-two', product: 'product-one' },
  otherProduct: { tenant: 'tenant-one', product: 'product-two' },
};
type Name = keyof typeof owners;
const names = Object.keys(owners) as Name[];

interface Example {
  directory: string;
  user: string;
  group: string;
  delivery: string;
  replay: string;
  request: string;
  key: string;
  client: string;
  token: string;
}

let service: TestService;
let receiver: Receiver;
const examples = {} as Record<Name, Example>;
const nothing = Object.fromEntries(
  ['directory', 'user', 'group', 'delivery', 'replay', 'request', 'key', 'client', 'token'].map((name) => [
    name,
    '01a1fd46-beef-7978-b244-a1855f394770',
  ]),
) as unknown as Example;

beforeAll(async () => {
  service = await startTestService();
  receiver = await startReceiver();
  receiver.respond = take;
  for (const name of names) examples[name] = await createExample(name);
  // The feed across directories waits for the transactions of other tests.
  await untilReadable(service.db);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

async function createExample(name: Name): Promise<Example> {
  const { directory, get, untilDone, replay } = await createOperated(service, receiver, { ...owners[name], name: `name-${name}` });
  const user = await directory.scim('POST', '/Users', { userName: `user-${name}@acme.example`, active: true });
  const group = await directory.scim('POST', '/Groups', { displayName: `group-${name}`, members: [{ value: user.body.id }] });
  expect([user.status, group.status]).toEqual([201, 201]);
  await untilDone();
  const { id: replayId } = await replay({ mode: 'single', sequence: 1 });
  const [delivery] = await get('/deliveries');
  const { id: request } = await until(async () => (await get('/requests'))[0]);
  const { id: key } = await createKey(service, { name: `key-${name}`, directory_id: directory.id });
  const { id: client } = await createClient(service, directory.id, { name: `client-${name}` });
  await createLink(service, { ...owners[name], name: `link-${name}` });
  // One that has ended, so that the user is still there.
  await service.db('user_erasures').insert({
    directory_id: directory.id,
    user_id: user.body.id,
    id: randomUUID(),
    public_id: user.body.id,
    requested_by: '{}',
    step: 'end',
    finished_at: new Date(),
  });
  // The API creates one only for a directory of type csv.
  const token = randomUUID();
  await service.db('upload_tokens').insert({
    directory_id: directory.id,
    id: token,
    name: `token-${name}`,
    hash: randomBytes(32),
    expires_at: new Date(Date.now() + 3_600_000),
  });
  return {
    directory: directory.id,
    user: user.body.id,
    group: group.body.id,
    delivery: delivery.id,
    replay: replayId,
    request,
    key,
    client,
    token,
  };
}

const kinds = {
  tenant: { narrowed: () => ({ tenant: 'tenant-one' }), foreign: ['otherTenant'] },
  product: { narrowed: () => ({ product: 'product-one' }), foreign: ['otherProduct'] },
  both: { narrowed: () => owners.own, foreign: ['otherTenant', 'otherProduct'] },
  directory: { narrowed: () => ({ directory_id: examples.own.directory }), foreign: ['sibling', 'otherTenant', 'otherProduct'] },
} satisfies Record<string, { narrowed(): object; foreign: Name[] }>;

const narrowable = scopes.filter((scope) => !deploymentScopes.includes(scope));

/** Paths of the operations. */
const fill = (path: string, { directory, user, group, delivery, replay, request, key, client, token }: Example) =>
  path
    .replace('{directoryId}', directory)
    .replace('{userId}', user)
    .replace('{groupId}', group)
    .replace(/\{(deliveryId|eventId)\}/, delivery)
    .replace('{replayId}', replay)
    .replace('{requestId}', request)
    .replace('{apiKeyId}', key)
    .replace('{clientId}', client)
    .replace('{tokenId}', token)
    .replace('{runId}', nothing.replay);

const withDirectory = operations.api.filter(({ path }) => path.includes('{directoryId}'));
const ofItem = /\{(deliveryId|replayId|requestId|runId|clientId|userId|tokenId)\}/;

/**
 * The query or body with which operations without a directory in their path select data.
 * An empty object selects all that the key can access.
 */
interface Selection {
  query?: Record<string, string>;
  body?: object;
}
const all = (): Selection => ({});
const byDirectory = ({ directory }: Example): Selection => ({ query: { directory_id: directory } });
const byTarget = ({ directory }: Example): Selection => ({ query: { target: directory } });
const byOwner = (_: Example, owner: { tenant: string; product: string }): Selection => ({ query: { ...owner } });
const byProduct = (_: Example, { product }: { product: string }): Selection => ({ query: { product } });

/** `named` selects one directory; `selected` may select several, some of which the key can access. */
const selections: Record<string, { named?: ((example: Example) => Selection)[]; selected?: (typeof byOwner)[]; changes?: true }> = {
  'directories.create': { selected: [(_, owner) => ({ body: { ...owner, name: 'new' } })], changes: true },
  'directories.list': { selected: [byOwner] },
  'directories.listOfProduct': { selected: [byProduct] },
  'directories.listAll': { selected: [all] },
  'users.list': { named: [byDirectory], selected: [all, byOwner] },
  'users.get': { named: [byDirectory], selected: [byOwner] },
  'users.groups': { named: [byDirectory], selected: [byOwner] },
  'groups.list': { named: [byDirectory], selected: [all, byOwner] },
  'groups.get': { named: [byDirectory], selected: [byOwner] },
  'groups.members': { named: [byDirectory], selected: [byOwner] },
  'groups.nestedGroups': { named: [byDirectory], selected: [byOwner] },
  'attributes.getSchema': { selected: [byProduct] },
  'attributes.setSchema': { selected: [(_, { product }) => ({ body: { product, attributes: [] } })], changes: true },
  'events.list': { named: [byDirectory], selected: [all, byOwner] },
  'webhookEvents.list': { named: [byDirectory], selected: [all, byOwner] },
  'webhookEvents.get': { named: [byDirectory], selected: [byOwner] },
  'webhookEvents.delete': { named: [byDirectory], changes: true },
  'deliveries.listAll': { selected: [all, byOwner] },
  'replays.find': { named: [all] },
  'auditLog.list': { named: [byDirectory, byTarget], selected: [all, byOwner] },
  exportAuditLog: { named: [byDirectory, byTarget], selected: [all, byOwner] },
  'overview.get': { selected: [all] },
  'stats.get': { selected: [all] },
  'stats.ofProducts': { selected: [(_, { product }) => ({ body: { products: [product] } })] },
  'setupLinks.create': { selected: [(_, owner) => ({ body: { ...owner, ...webhook } })], changes: true },
  'setupLinks.get': { selected: [byOwner] },
  'setupLinks.listAll': { selected: [all, byOwner] },
  'setupLinks.listOfProduct': { selected: [byProduct] },
  'setupLinks.revoke': { selected: [byOwner], changes: true },
  'apiKeys.create': {
    named: [({ directory }) => ({ body: { name: 'new', preset: 'read-only', directory_id: directory } })],
    selected: [(_, owner) => ({ body: { name: 'new', preset: 'read-only', ...owner } })],
    changes: true,
  },
  'apiKeys.list': { selected: [all] },
  'apiKeys.get': { named: [all] },
  'apiKeys.update': { named: [() => ({ body: { name: 'new' } })], changes: true },
  'apiKeys.revoke': { named: [all], changes: true },
  'apiKeys.rotate': { named: [all], changes: true },
  'sessions.createLoginLink': { selected: [all] },
};
const narrowedOperations = operations.api.filter((operation: Operation) => operation.reach === 'narrowed');

it('tests each operation that a narrowed key may call', () => {
  expect(narrowedOperations.map(({ id }) => id).sort()).toEqual(Object.keys(selections).sort());
});

const send = (key: TestKey, { method, path }: Operation, example: Example, { query = {}, body }: Selection = {}) =>
  key.api(method.toUpperCase(), `${fill(path, example)}?${new URLSearchParams(query).toString()}`, body);

const shown = ({ status, body }: ServiceResponse) => ({ status, body });

/** Fails if the response, or a cursor in it, contains a name or an ID of the foreign directory. */
function expectNothingOf({ body }: ServiceResponse, foreign: Name): void {
  const text = JSON.stringify(body) ?? '';
  const cursors = [body?.list_metadata?.after, body?.list_metadata?.before].filter((cursor) => typeof cursor === 'string');
  const whole = [text, ...cursors.map((cursor) => Buffer.from(cursor, 'base64url').toString())].join('\n');
  const marks = [`-${foreign}`, ...Object.values(examples[foreign])];
  expect(marks.filter((mark) => whole.includes(mark))).toEqual([]);
}

describe.each(Object.entries(kinds))('a key that is narrowed by %s', (_kind, { narrowed, foreign }) => {
  let key: TestKey;
  beforeAll(async () => {
    key = await createKey(service, { name: 'walker', scopes: narrowable, ...narrowed() });
  });

  it.each(withDirectory.map((operation: Operation) => [operation.id, operation] as const))(
    'finds no directory of others by %s',
    async (_id, operation) => {
      const missing = await send(key, operation, nothing);
      expect(missing.status).toBe(404);
      for (const name of foreign) expect(shown(await send(key, operation, examples[name]))).toEqual(shown(missing));
      const isRead = operation.method === 'get' && operation.tag !== 'Syncs';
      expect(isRead ? (await send(key, operation, examples.own)).status : 200).toBe(200);
      // An export has what is left of a user that is gone: see below.
      if (!ofItem.test(operation.path) || operation.id === 'users.export') return;
      const { directory } = examples.own;
      // A body is checked before the item is looked for.
      const select = operation.method === 'patch' ? { body: {} } : {};
      const withoutItem = await send(key, operation, { ...nothing, directory }, select);
      // Only a pulled directory has sync runs.
      expect(withoutItem.status).toBe(operation.tag === 'Syncs' ? 400 : 404);
      for (const name of foreign)
        expect(shown(await send(key, operation, { ...examples[name], directory }, select))).toEqual(shown(withoutItem));
    },
  );

  it.each(narrowedOperations.map((operation: Operation) => [operation.id, operation] as const))(
    'gets nothing of other tenants by %s',
    async (id, operation) => {
      const { named = [], selected = [], changes } = selections[id]!;
      for (const select of named) {
        const missing = await send(key, operation, nothing, select(nothing));
        for (const name of foreign)
          expect(shown(await send(key, operation, examples[name], select(examples[name])))).toEqual(shown(missing));
        if (changes) continue;
        const own = await send(key, operation, examples.own, select(examples.own));
        expect([own.status, shown(own)]).toEqual([200, expect.not.objectContaining({ body: missing.body })]);
      }
      for (const select of selected)
        for (const name of foreign) {
          const response = await send(key, operation, examples[name], select(examples[name], owners[name]));
          expect([200, 201, 400, 403, 404]).toContain(response.status);
          for (const other of foreign) expectNothingOf(response, other);
        }
    },
  );

  it('cannot call operations for the whole service', async () => {
    const whole = operations.api.filter((operation: Operation) => operation.reach === 'deployment' && narrowable.includes(operation.scope));
    expect(whole.map(({ id }) => id).sort()).toEqual([
      'auditLog.chain',
      'deliveries.processQueued',
      'sessions.endAll',
      'syncs.startAll',
      'syncs.startAllEntra',
    ]);
    for (const operation of whole)
      expect(await send(key, operation, nothing)).toMatchObject({ status: 403, body: { error: { code: 'key_narrowed' } } });
  });

  it('counts and lists only its own directories, keys and events', async () => {
    const known = names.filter((name) => !(foreign as Name[]).includes(name));
    expect((await key.api('GET', '/api/v1/stats')).body.data.dsync_connections).toBe(known.length);
    const listed = (await key.api('GET', `${root}/all`)).body.data as { name: string }[];
    expect(listed.map(({ name }) => name).sort()).toEqual(known.map((name) => `name-${name}`).sort());
    const keys = (await key.api('GET', keysPath)).body.data as { name: string }[];
    expect(keys.map(({ name }) => name)).toEqual(expect.arrayContaining([...known.map((name) => `key-${name}`), 'walker']));
    const feed = (await key.api('GET', '/api/v1/events?limit=1000')).body.data as { tenant: string }[];
    expect(feed).toHaveLength(3 * known.length);
  });

  it('reads the feed page by page, past the events of others', async () => {
    for (const order of ['asc', 'desc']) {
      let after = '';
      let count = 0;
      for (let hasMore = true; hasMore;) {
        const page = await key.api('GET', `/api/v1/events?limit=1&order=${order}&after=${after}`);
        expect(page.status).toBe(200);
        for (const name of foreign) expectNothingOf(page, name);
        ({ after, has_more: hasMore } = page.body.list_metadata);
        count += page.body.data.length;
      }
      expect(count).toBe(3 * (names.length - foreign.length));
    }
  });
});

it('exports nothing of a user of another tenant from a directory of its own', async () => {
  const key = await createKey(service, { scopes: narrowable, ...kinds.tenant.narrowed() });
  for (const section of ['user', 'memberships', 'events', 'deliveries', 'requests'])
    for (const name of kinds.tenant.foreign) {
      const { status, body } = await key.api(
        'GET',
        `${root}/${examples.own.directory}/users/${examples[name].user}/export?only=${section}`,
      );
      expect([status, body.data]).toEqual([200, []]);
    }
  // What it would have read.
  const { body } = await key.api('GET', `${root}/${examples.own.directory}/users/${examples.own.user}/export?only=events`);
  expect(body.data).not.toEqual([]);
});

it('nothing of other tenants was changed', async () => {
  for (const name of names) {
    const { directory, key, client, token, user } = examples[name];
    const found = (await service.api('GET', `${clientsPath(directory)}/${client}`)).body.data;
    expect(found).toMatchObject({ name: `client-${name}`, revoked_at: null });
    const [foundToken] = await service.db('upload_tokens').where({ directory_id: directory, id: token }).select('revoked_at');
    expect(foundToken).toEqual({ revoked_at: null });
    expect((await service.api('GET', `/api/v1/directory-sync/users/${user}?directory_id=${directory}`)).status).toBe(200);
    expect((await service.api('GET', `${root}/${directory}`)).body.data.name).toBe(`name-${name}`);
    const links = (await service.api('GET', `${linksPath}/product?product=${owners[name].product}`)).body.data as { tenant: string }[];
    expect(links.map(({ tenant }) => tenant)).toContain(owners[name].tenant);
    expect((await service.api('GET', `${keysPath}/${key}`)).body.data).toMatchObject({ name: `key-${name}`, revoked_at: null });
  }
});
