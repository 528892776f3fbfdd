import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DirectorySyncEvent } from '../../src/jackson/index.ts';
import { trimHistory } from '../../src/directory/maintenance/retention.ts';
import { defaultQuotas } from '../../src/directory/quotas.ts';
import { newId } from '../../src/ids.ts';
import { readDirectoryHealth } from '../../src/store/directories/directory-health.ts';
import { createTrimStore } from '../../src/store/directories/trim-store.ts';
import { createJacksonDirectory, startTestJackson } from '../support/jackson.ts';
import { ada } from '../support/service.ts';

let jackson: Awaited<ReturnType<typeof startTestJackson>>;
beforeAll(async () => {
  jackson = await startTestJackson();
});
afterAll(() => jackson.stop());

it('has nothing in lists of an unknown tenant, directory or group', async () => {
  const { users, groups, webhookLogs } = jackson.controller;
  const nothing = { data: [], error: null };
  expect(await users.setTenantAndProduct('nobody', 'crm').getAll()).toEqual(nothing);
  expect(await groups.setTenantAndProduct('nobody', 'crm').getAll()).toEqual(nothing);
  expect(await webhookLogs.setTenantAndProduct('nobody', 'crm').getAll()).toEqual({ data: [] });
  expect(await users.getAll({ directoryId: 'nothing' })).toEqual(nothing);
  expect(await groups.setTenantAndProduct('nobody', 'crm').getGroupMembers({ groupId: 'nothing' })).toEqual(nothing);
  expect(await users.search('ada@example.com', 'nothing')).toEqual(nothing);
});

it('returns the errors of Polis for directories', async () => {
  const { directories } = jackson.controller;
  const missing = { data: null, error: { code: 400, message: 'Missing required parameters.' } };
  const notFound = { data: null, error: { code: 404, message: 'Directory configuration not found.' } };
  expect(await directories.get('')).toEqual(missing);
  expect(await directories.update('', { name: 'Renamed' })).toEqual(missing);
  expect(await directories.create({ tenant: '', product: 'crm' })).toEqual(missing);
  expect(await directories.getByTenantAndProduct('acme', '')).toEqual(missing);
  expect(await directories.delete('')).toMatchObject({ error: { code: 400 } });
  expect(await directories.get('nothing')).toEqual(notFound);
  expect(await directories.delete('nothing')).toEqual(notFound);
  expect(await directories.create({ tenant: 'acme', product: 'crm', type: 'ldap' as never })).toMatchObject({
    error: { code: 400, message: expect.stringContaining('directory type') },
  });
  expect(await directories.filterBy()).toMatchObject({ error: { code: 400 } });
});

it('counts directories, all of them or by an index of Polis', async () => {
  const { directories } = jackson.controller;
  const product = 'counted';
  await createJacksonDirectory(jackson, { tenant: 'one', product });
  await createJacksonDirectory(jackson, { tenant: 'one', product });
  await createJacksonDirectory(jackson, { tenant: 'two', product, type: 'google' });
  expect(await directories.getCount()).toBeGreaterThanOrEqual(3);
  expect(await directories.getCount({ name: 'product', value: product })).toBe(3);
  expect(await directories.getCount({ name: 'tenantProduct', value: `one:${product}` })).toBe(2);
  expect(await directories.getCount({ name: 'dsync:providers', value: 'google' })).toBe(1);
  expect(await directories.getCount({ name: 'tenantProduct', value: 'one' })).toBe(0);
  expect(await directories.getCount({ name: 'unknown', value: 'google' })).toBe(0);
});

it.each([
  [{ pageOffset: -1 }, [0, 1, 2]],
  [{ pageOffset: 1, pageLimit: 1 }, [1]],
  [{ pageOffset: 1, pageLimit: -1 }, [1, 2]],
  [{ pageOffset: Number.NaN, pageLimit: Number.NaN }, [0, 1, 2]],
  [{ pageOffset: '1' as never, pageLimit: '1' as never }, [1]],
])('lists the directories of a product and those of its provider with the page %p', async (page, places) => {
  const { directories } = jackson.controller;
  const product = newId();
  const ids: string[] = [];
  for (const tenant of ['one', 'two', 'three']) ids.unshift((await createJacksonDirectory(jackson, { tenant, product })).directory.id);
  for (const provider of [undefined, 'okta-scim-v2'] as const) {
    const { data } = await directories.filterBy({ product, provider, ...page });
    expect([provider, data!.map(({ id }) => ids.indexOf(id))]).toEqual([provider, places]);
  }
});

it('rejects with what a callback throws, after the change is committed and all its events are passed', async () => {
  const { push, tenant, product } = await createJacksonDirectory(jackson);
  const { data: user } = await push('POST', 'Users', ada);
  const seen: string[] = [];
  const callback = async ({ event }: { event: string }) => {
    seen.push(event);
    throw new Error(`no ${event}`);
  };
  const body = { displayName: 'Engines', members: [{ value: user.id }] };
  await expect(push('POST', 'Groups', body, undefined, callback)).rejects.toThrow('no group.created');
  expect(seen).toEqual(['group.created', 'group.user_added']);
  expect(await jackson.controller.groups.setTenantAndProduct(tenant, product).getAll()).toMatchObject({ data: [{ name: 'Engines' }] });
  expect(await push('GET', 'Users', undefined, user.id)).toMatchObject({ status: 200 });
});

it('rejects with what the callback of the options throws', async () => {
  const own = await startTestJackson({ dsync: { callback: () => Promise.reject(new Error('full')) } });
  try {
    const { push } = await createJacksonDirectory(own);
    await expect(push('POST', 'Users', ada, undefined, null)).rejects.toThrow('full');
    expect(await push('POST', 'Users', ada)).toMatchObject({ status: 409 });
  } finally {
    await own.stop();
  }
});

it('keeps webhooks that an application sent itself in the log', async () => {
  const { directory, events, push, tenant, product } = await createJacksonDirectory(jackson, {
    webhook_url: 'https://hook.example/in?token=secret',
    webhook_secret: 'a-long-enough-secret',
  });
  await push('POST', 'Users', ada);
  const logs = jackson.controller.webhookLogs.setTenantAndProduct(tenant, product);
  const good = await logs.log(directory, events[0]!, 200);
  const bad = await logs.log(directory, events, 503);
  expect(good).toMatchObject({ delivered: true, status_code: 200, payload: events[0] });
  const shown = { webhook_endpoint: 'https://hook.example/in', created_at: expect.any(String) };
  expect((await logs.getAll()).data).toEqual(
    expect.arrayContaining([
      { ...shown, id: good.id, delivered: true, status_code: 200, payload: events[0] },
      { ...shown, id: bad.id, delivered: false, status_code: 503, payload: events },
    ]),
  );
  expect(await logs.get(good.id)).toMatchObject({ id: good.id });
  await jackson.controller.webhookLogs.setTenantAndProduct('another', product).delete(good.id);
  expect(await logs.get(good.id)).toMatchObject({ id: good.id });
  await logs.delete(good.id);
  await logs.delete('nothing');
  expect(await logs.get(good.id)).toBeNull();
  await logs.deleteAll(directory.id);
  expect(await logs.getAll()).toEqual({ data: [] });
});

it('counts webhooks that an application sent itself in the history, and drops the oldest beyond its quota', async () => {
  const { directory, events, push, tenant, product } = await createJacksonDirectory(jackson, {
    webhook_url: 'https://hook.example',
    webhook_secret: 'a-long-enough-secret',
  });
  await push('POST', 'Users', ada);
  const logs = jackson.controller.webhookLogs.setTenantAndProduct(tenant, product);
  const historyBytes = async () => (await readDirectoryHealth(jackson.db, directory.id))!.used.historyBytes;
  const event = { ...events[0]!, padding: 'é'.repeat(1_000) } as DirectorySyncEvent;
  const before = await historyBytes();
  const ids: string[] = [];
  for (let index = 0; index < 10; index += 1) ids.push((await logs.log(directory, event, index % 2 === 0 ? 200 : 503)).id);
  const grown = (await historyBytes()) - before;
  expect(grown).toBeGreaterThan(10 * 2_000);
  await trimHistory(createTrimStore(jackson.db, { ...defaultQuotas, historyBytes: grown / 2 }));
  const left = (await logs.getAll()).data.map(({ id }) => id);
  expect(new Set(left)).toEqual(new Set(ids.slice(-left.length)));
  expect(left.length).toBeGreaterThan(2);
  expect(left.length).toBeLessThan(6);
  expect(await historyBytes()).toBeLessThan(grown / 2 + before);
});

it('logs no webhook that is larger than any event', async () => {
  const { directory, events, push, tenant, product } = await createJacksonDirectory(jackson);
  await push('POST', 'Users', ada);
  const logs = jackson.controller.webhookLogs.setTenantAndProduct(tenant, product);
  const event = { ...events[0]!, padding: 'x'.repeat(4_194_304) } as DirectorySyncEvent;
  await expect(logs.log(directory, event, 200)).rejects.toThrow('more than 4194304 (fixed limit)');
  expect(await logs.getAll()).toEqual({ data: [] });
});
