import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { createLink, linksPath } from '../support/setup-links.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
  for (const [tenant, product, name] of [
    ['acme', 'crm', 'The first'],
    ['acme', 'erp', undefined],
    ['globex', 'crm', undefined],
    ['initech', 'crm', undefined],
  ])
    await createLink(service, { tenant, product, ...(name !== undefined && { name }) });
  const set = (tenant: string, product: string, times: object) => service.db('setup_links').where({ tenant, product }).update(times);
  const [past, time] = [new Date(Date.now() - 1_000), new Date()];
  await set('acme', 'erp', { opened_at: time });
  await set('globex', 'crm', { opened_at: time, expires_at: past });
  await set('initech', 'crm', { opened_at: time, completed_at: time, expires_at: past });
});
afterAll(() => service.stop());

const list = async (query: string, api: TestService['api'] = service.api) => {
  const { status, body } = await api('GET', `${linksPath}/all?${query}`);
  expect([status, body.error]).toEqual([200, null]);
  return (body.data as { tenant: string; product: string }[]).map(({ tenant, product }) => `${tenant}/${product}`);
};

it.each([
  ['', ['initech/crm', 'globex/crm', 'acme/erp', 'acme/crm']],
  ['state=not_opened', ['acme/crm']],
  ['state=opened', ['acme/erp']],
  ['state=expired', ['globex/crm']],
  ['state=completed', ['initech/crm']],
  ['search=FIRST', ['acme/crm']],
  ['search=glob', ['globex/crm']],
  ['search=%25', []],
  ['tenant=acme', ['acme/erp', 'acme/crm']],
  ['product=crm&tenant=acme', ['acme/crm']],
  ['limit=1&offset=1', ['globex/crm']],
])('lists the setup links of all products with %p', async (query, expected) => {
  expect(await list(query)).toEqual(expected);
});

it('continues where the page ended, and only with the same filters', async () => {
  const { body } = await service.api('GET', `${linksPath}/all?limit=2&product=crm`);
  expect(await list(`limit=2&product=crm&cursor=${body.next_cursor}`)).toEqual(['acme/crm']);
  expect((await service.api('GET', `${linksPath}/all?limit=2&cursor=${body.next_cursor}`)).body.error.field).toBe('cursor');
});

it('shows a narrowed key its own links only', async () => {
  const key = await createKey(service, { tenant: 'acme', scopes: ['setup_links:write'] });
  expect(await list('', key.api)).toEqual(['acme/erp', 'acme/crm']);
  expect(await list('tenant=globex', key.api)).toEqual([]);
  expect((await service.api('GET', `${linksPath}/all`, undefined, { Authorization: 'Bearer wrong' })).status).toBe(401);
});
