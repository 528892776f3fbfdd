import type { Directory, DirectorySyncRequest, Response } from '../../src/jackson/index.ts';
import { startReceiver } from '../support/receiver.ts';
import { createStoredResponses, readAllTraffic, type Traffic } from '../support/traffic.ts';
import { until } from '../support/until.ts';
import { normalize, type Observation } from './find-differences.ts';
import type { Side } from './sides.ts';

interface Run {
  side: Side;
  /** Notes what a call returns, or that it throws. Returns what it returned. */
  see<T>(step: string, call: () => Promise<T>): Promise<T | undefined>;
  /** Later observations show this ID or secret by its name. */
  name(value: string | undefined, name: string): void;
  owner: { tenant: string; product: string };
}

export interface Scenario {
  title: string;
  run(run: Run): Promise<void>;
}

let count = 0;

export async function observe({ title, run }: Scenario, side: Side): Promise<Observation[]> {
  const observations: Observation[] = [];
  const names = new Map<string, string>();
  const owner = { tenant: `tenant-${side.name}-${(count += 1)}`, product: `product-${count}` };
  names.set(owner.tenant, 'tenant').set(owner.product, 'product');
  await run({
    side,
    owner,
    name: (value, name) => void (value && names.set(value, name)),
    async see(step, call) {
      const place = `${title}: ${step}`;
      try {
        const result = await call();
        observations.push({ step: place, seen: normalize(structuredClone(result), names) });
        return result;
      } catch {
        observations.push({ step: place, seen: 'throws' });
        return undefined;
      }
    },
  });
  return observations;
}

async function createDirectory({ side, owner, name }: Run, fields: object = {}): Promise<Directory> {
  const { data } = await side.controller.directories.create({ ...owner, name: 'Acme', type: 'okta-scim-v2', ...fields });
  name(data!.id, 'directory');
  name(data!.scim.secret, 'secret');
  return data!;
}

const toRequest = (directory: Directory, more: Partial<DirectorySyncRequest>): DirectorySyncRequest => ({
  method: 'GET',
  directoryId: directory.id,
  resourceType: 'Users',
  resourceId: undefined,
  apiSecret: directory.scim.secret,
  query: {},
  body: undefined,
  ...more,
});

/** What an application reads after all pushes. */
async function seeStored({ side, owner: { tenant, product }, see }: Run): Promise<void> {
  const users = side.controller.users.setTenantAndProduct(tenant, product);
  const groups = side.controller.groups.setTenantAndProduct(tenant, product);
  await see('users', () => users.getAll());
  const found = await see('groups', () => groups.getAll({}));
  for (const group of found?.data ?? [])
    await see(`members of ${group.name}`, () => groups.getGroupMembers({ groupId: group.id, pageOffset: 0 }));
}

/** Everything that a provider sends, as it was recorded. A step whose place in an earlier response is missing is left out. */
const toScenario = ({ provider, traffic, type, headers, steps }: Traffic): Scenario => ({
  title: `${provider}, ${traffic}`,
  async run(run) {
    const { side, see, name } = run;
    const directory = await createDirectory(run, { type });
    const stored = createStoredResponses();
    for (const [index, step] of steps.entries()) {
      const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(step.request)!;
      const pushed = await see(`${index + 1} ${step.request}`, async () => {
        const url = new URL(stored.fillIn(path), 'http://scim');
        const [, resourceType, resourceId] = url.pathname.split('/');
        const { startIndex, count: pageSize, ...rest } = Object.fromEntries(url.searchParams);
        const query = {
          ...rest,
          ...(startIndex !== undefined && { startIndex: Number(startIndex) }),
          ...(pageSize !== undefined && { count: Number(pageSize) }),
        };
        const given = stored.fillInAll(step.body);
        const body = step.echo === undefined ? given : { ...structuredClone(stored.get(step.echo)), ...given };
        const more = { method, resourceType: resourceType!, resourceId: resourceId && decodeURIComponent(resourceId), query, body };
        return side.push(toRequest(directory, more), { ...headers, ...step.headers });
      });
      if (!step.keep || !pushed) continue;
      stored.keep(step.keep, pushed.data);
      name((pushed.data as { id?: string }).id, step.keep);
    }
    await seeStored(run);
  },
});

const directories: Scenario = {
  title: 'directories',
  async run({ side, see, name, owner }) {
    const { directories: calls } = side.controller;
    const create = async (step: string, fields: object) => {
      const created = await see(step, () => calls.create({ ...owner, ...fields }));
      name(created?.data?.id, step);
      name(created?.data?.scim.secret, `secret of ${step}`);
      return created?.data?.id ?? '';
    };
    const webhook = { webhook_url: 'https://hook.example/in', webhook_secret: 'a-secret-that-is-long' };
    const okta = await create('with a webhook', { name: 'Okta', type: 'okta-scim-v2', ...webhook });
    await create('without a name', { name: null, webhook_url: null, webhook_secret: null });
    await create('of Entra', { name: 'Entra', type: 'azure-scim-v2' });
    await create('of Google', { name: 'Google', type: 'google', google_access_token: 'a', google_refresh_token: 'r' });
    await create('with an unknown field', { name: 'More', colour: 'red' });
    await create('with a URL and an empty secret', { name: 'No secret', webhook_url: 'https://hook.example/in', webhook_secret: '' });
    await create('with a secret alone', { name: 'No URL', webhook_secret: 'a-secret-that-is-long' });
    await see('without a tenant', () => calls.create({ ...owner, tenant: '' }));
    await see('with an unknown type', () => calls.create({ ...owner, type: 'ldap' as never }));
    await see('with a colon in its tenant', () => calls.create({ ...owner, tenant: 'a:b' }));
    await see('read', () => calls.get(okta));
    await see('list of a tenant and product', () => calls.getByTenantAndProduct(owner.tenant, owner.product));
    await see('list of an unknown tenant', () => calls.getByTenantAndProduct('nobody', owner.product));
    await see('list of a product', () => calls.filterBy({ product: owner.product }));
    await see('second page of a product', () => calls.filterBy({ product: owner.product, pageOffset: 2, pageLimit: 2 }));
    await see('renamed', () => calls.update(okta, { name: 'Renamed', log_webhook_events: true }));
    await see('another webhook', () =>
      calls.update(okta, { webhook: { endpoint: 'https://hook.example/2', secret: 'another-long-secret' } }),
    );
    await see('no webhook', () => calls.update(okta, { webhook_url: '', webhook_secret: '' }));
    await see('deactivated', () => calls.update(okta, { deactivated: true }));
    await see('read an unknown one', () => calls.get('nothing'));
    await see('update an unknown one', () => calls.update('nothing', { name: 'Renamed' }));
    await see('deleted', () => calls.delete(okta));
    await see('read after its deletion', () => calls.get(okta));
    await see('deleted again', () => calls.delete(okta));
    if (side.name === 'http') return;
    await see('read without an ID', () => calls.get(''));
    await see('updated without an ID', () => calls.update('', {}));
    await see('deleted without an ID', () => calls.delete(''));
    await see('listed without a product or a provider', () => calls.filterBy({}));
    await see('counted', () => calls.getCount({ name: 'product', value: owner.product }));
  },
};

const user = (name: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${name}@example.com`,
  name: { givenName: name, familyName: 'Example' },
  emails: [{ value: `${name}@example.com`, type: 'work', primary: true }],
  active: true,
});

const lists: Scenario = {
  title: 'lists and errors',
  async run(run) {
    const { side, see, name, owner } = run;
    const { tenant, product } = owner;
    const directory = await createDirectory(run);
    const push = (method: string, resourceType: string, body?: unknown, resourceId?: string) =>
      side.push(toRequest(directory, { method, resourceType, resourceId, body }));
    const ids: string[] = [];
    for (const first of ['ada', 'grace', 'katherine', 'dorothy']) {
      const { data } = (await push('POST', 'Users', user(first))) as { data: { id: string } };
      ids.push(data.id);
      name(data.id, first);
    }
    const groupIds: string[] = [];
    for (const displayName of ['Engines', 'Compilers', 'Orbits']) {
      const { data } = (await push('POST', 'Groups', { displayName })) as { data: { id: string } };
      groupIds.push(data.id);
      name(data.id, displayName);
    }
    const [groupId = ''] = groupIds;
    const members = ids.map((value) => ({ value }));
    await push('PATCH', 'Groups', { Operations: [{ op: 'add', path: 'members', value: members }] }, groupId);
    await push('PUT', 'Users', { ...user('ada'), title: 'Countess' }, ids[0]);
    const users = side.controller.users.setTenantAndProduct(tenant, product);
    const groups = side.controller.groups.setTenantAndProduct(tenant, product);
    await see('all users', () => users.getAll());
    await see('users of a directory', () => users.getAll({ directoryId: directory.id }));
    await see('a page of users', () => users.getAll({ pageOffset: 1, pageLimit: 2 }));
    await see('a page after the end', () => users.getAll({ pageOffset: 10, pageLimit: 2 }));
    await see('one user', () => users.get(ids[1]!));
    await see('an unknown user', () => users.get('nothing'));
    await see('all groups', () => groups.getAll({}));
    await see('a page of groups', () => groups.getAll({ pageOffset: 1, pageLimit: 1 }));
    await see('one group', () => groups.get(groupIds[1]!));
    await see('one group with members', () => groups.get(groupId));
    await see('an unknown group', () => groups.get('nothing'));
    await see('members', () => groups.getGroupMembers({ groupId }));
    await see('a page of members', () => groups.getGroupMembers({ groupId, pageOffset: 1, pageLimit: 2 }));
    await see('members of an unknown group', () => groups.getGroupMembers({ groupId: 'nothing' }));
    if (side.name !== 'http') {
      await see('member of', () => groups.isUserInGroup(groupId, ids[0]!));
      await see('not member of', () => groups.isUserInGroup(groupIds[1]!, ids[0]!));
      await see('found users', () => users.search('grace@example.com', directory.id));
      await see('found groups', () => groups.search('Orbits', directory.id));
      await see('found nothing', () => users.search('nobody@example.com', directory.id));
    }
    // In Polis this changes whose users and groups the same object reads.
    await see('users of an unknown tenant', () => side.controller.users.setTenantAndProduct('nobody', product).getAll());
    await see('groups of an unknown tenant', () => side.controller.groups.setTenantAndProduct('nobody', product).getAll({}));
    await see('a user who exists', () => push('POST', 'Users', user('ada')));
    await see('a group that exists', () => push('POST', 'Groups', { displayName: 'Engines' }));
    await see('SCIM: an unknown user', () => push('GET', 'Users', undefined, 'nothing'));
    await see('SCIM: an unknown group', () => push('GET', 'Groups', undefined, 'nothing'));
    await see('SCIM: a wrong secret', () => side.push({ ...toRequest(directory, {}), apiSecret: 'wrong' }));
    await see('SCIM: no secret', () => side.push({ ...toRequest(directory, {}), apiSecret: null }));
    await see('SCIM: an unknown directory', () => side.push({ ...toRequest(directory, {}), directoryId: 'nothing' }));
    await see('SCIM: an unknown resource type', () => push('GET', 'Nonsense'));
    await side.controller.directories.update(directory.id, { deactivated: true });
    await see('SCIM: a deactivated directory', () => push('POST', 'Users', user('mary')));
  },
};

/** Polis changes the object that it gets. */
const raw = () => ({ ...user('grace'), roles: ['admin'] });

const writes: Scenario = {
  title: 'writes without a provider',
  async run(run) {
    const { side, see, owner } = run;
    if (side.name === 'http') return;
    const directory = await createDirectory(run);
    const users = side.controller.users.setTenantAndProduct(owner.tenant, owner.product);
    const groups = side.controller.groups.setTenantAndProduct(owner.tenant, owner.product);
    const grace = { id: 'grace', email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', active: true, roles: ['admin'] };
    await see('a user', () => users.create({ directoryId: directory.id, ...grace, raw: raw() }));
    await see('its update', () => users.update('grace', { ...grace, first_name: 'G.', raw: { ...raw(), title: 'Admiral' } }));
    await see('its update, read', () => users.get('grace'));
    await see('the update of nobody', () => users.update('nobody', { ...grace, id: 'nobody', raw: raw() }));
    await see('a group', () =>
      groups.create({ directoryId: directory.id, id: 'g', name: 'Engines', raw: { displayName: 'Engines', members: [] } }),
    );
    await see('a member', () => groups.addUserToGroup('g', 'grace'));
    await see('the members', () => groups.getGroupMembers({ groupId: 'g' }));
    await see('its new name', () => groups.update('g', { name: 'Motors', raw: { id: 'g', displayName: 'Motors', members: [] } }));
    await see('its former member', () => groups.removeUserFromGroup('g', 'grace'));
    await see('no members', () => groups.getGroupMembers({ groupId: 'g' }));
    await see('the deletion of the group', () => groups.delete('g'));
    await see('the deletion of no group', () => groups.delete('g'));
    await see('the deletion of the user', () => users.delete('grace'));
    await see('the deletion of nobody', () => users.delete('grace'));
    await users.create({ directoryId: directory.id, ...grace, raw: raw() });
    await see('the deletion of all', () => users.deleteAll(directory.id));
    await see('nobody', () => users.getAll());
  },
};

const webhooks: Scenario = {
  title: 'webhooks and their log',
  async run(run) {
    const { side, see, owner } = run;
    const receiver = await startReceiver();
    try {
      const directory = await createDirectory(run, { webhook_url: receiver.url, webhook_secret: 'a-secret-that-is-long' });
      await side.controller.directories.update(directory.id, { log_webhook_events: true });
      const push = async (method: string, body?: unknown, resourceId?: string) => {
        const sent = receiver.received.length + 1;
        const request = toRequest(directory, { method, body, resourceId });
        const { data } = (await side.pushToWebhook(request)) as { data: { id: string } };
        await until(() => receiver.received.length === sent);
        return data.id;
      };
      const id = await push('POST', user('ada'));
      run.name(id, 'ada');
      await push('PUT', { ...user('ada'), title: 'Countess' }, id);
      await push('DELETE', undefined, id);
      await see('bodies', () => Promise.resolve(receiver.received.map(({ event }) => event as unknown)));
      await see('headers', () => Promise.resolve(receiver.received.map(({ headers }) => signatures(headers))));
      const logs = side.controller.webhookLogs.setTenantAndProduct(owner.tenant, owner.product);
      const read = () => logs.getAll() as unknown as Promise<Response<{ id: string }[]>>;
      await until(async () => (await read()).data?.length === 3);
      await see('log', read);
      await see('one entry', async () => logs.get((await read()).data![0]!.id));
      await see('an unknown entry', () => logs.get('nothing'));
      if (side.name !== 'http') await seeOwnLog();
      await see('the log of an unknown tenant', () => side.controller.webhookLogs.setTenantAndProduct('nobody', owner.product).getAll());

      async function seeOwnLog() {
        await see('a deleted entry', async () => logs.delete((await read()).data![0]!.id));
        await see('the log without it', read);
        await see('an added entry', async () => {
          const added = await logs.log(directory, receiver.received[0]!.event, 503);
          return { ...added, created_at: '<time>' };
        });
        await see('a deleted log', () => logs.deleteAll(directory.id));
        await see('no log', read);
      }
    } finally {
      await receiver.close();
    }
  },
};

const signatures = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    ['boxyhq-signature', 'ory-polis-signature', 'content-type'].map((name) => [
      name,
      String(headers[name]).replace(/^t=\d{13},s=[0-9a-f]{64}$/, '<signature>'),
    ]),
  );

export const scenarios: Scenario[] = [...(await readAllTraffic()).map(toScenario), directories, lists, writes, webhooks];
