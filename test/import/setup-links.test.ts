import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readAuditLog } from '../support/audit.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { encryptionKey, importFrom } from '../support/import-polis.ts';
import { createPolisTables, type PolisSetupLinkValue, type PolisTables } from '../support/polis-tables.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createLink, linksPath } from '../support/setup-links.ts';

let polis: PolisTables;
let target: TestDatabase;
let service: TestService;
beforeAll(async () => {
  [polis, target] = await Promise.all([createPolisTables(), cloneDatabase()]);
  service = await startTestService({}, { encryptionKey, openDatabase: () => Promise.resolve(target) });
});
afterAll(async () => {
  await service?.stop();
  await polis?.drop();
});

const importAll = (options: string[] = []) => importFrom(polis.url, target.url, options);
const open = (token: string, path = '', init: RequestInit = {}) => fetch(`${service.baseUrl}/api/setup/${token}${path}`, init);
const statuses = (links: Pick<PolisSetupLinkValue, 'token'>[]) => Promise.all(links.map(async ({ token }) => (await open(token)).status));

it('imports the links that are valid: the address that the customer has keeps working', async () => {
  const link = await polis.addSetupLink({ tenant: 'acme', name: 'Acme', validTill: Date.now() + 86_400_000 });
  const expired = await polis.addSetupLink({ tenant: 'expired', validTill: Date.now() - 1_000 });
  await polis.addSetupLink({ tenant: 'acme', service: 'sso' });

  const planned = await importAll(['--dry-run']);
  expect(planned.stderr).toMatch(/Would import 1 setup link/);
  expect(await statuses([link])).toEqual([404]);

  const { code, stderr, report } = await importAll();
  expect([code, stderr]).toEqual([0, expect.stringMatching(/Imported 1 setup link/)]);
  expect(report!.setup_links).toEqual({ read: 2, imported: 1, unchanged: 0, expired: 1, revoked: 0, skipped: [], unreadable: [] });
  expect(JSON.stringify(report)).not.toContain(link.token);
  expect((await service.api('GET', `${linksPath}?tenant=acme&product=crm`)).body.data).toMatchObject({
    setupID: link.setupID,
    name: 'Acme',
    validTill: link['validTill'],
    url: `${service.baseUrl}/setup/${link.token}`,
    webhook_url: 'https://app.example/hooks',
    webhook_secret: 'the secret of the link',
  });
  expect(await statuses([link, expired])).toEqual([200, 404]);
  const created = await open(link.token, '/directory-sync', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'okta-scim-v2' }),
  });
  expect(created.status).toBe(201);
  const { data } = (await created.json()) as { data: { id: string } };
  expect((await service.api('GET', `/api/v1/dsync/${data.id}`)).body.data).toMatchObject({
    tenant: 'acme',
    product: 'crm',
    webhook: { endpoint: 'https://app.example/hooks', secret: 'the secret of the link' },
  });
  expect(await readAuditLog(service, { action: 'setup_link.created' })).toMatchObject([
    { actor: { type: 'command_line', id: 'import polis' }, targets: [{ id: link.setupID, tenant: 'acme', product: 'crm' }] },
  ]);
});

it('follows Polis: a repeated import changes nothing, replaces links that were replaced there, and revokes missing ones', async () => {
  const [kept, replaced, gone] = await Promise.all(
    ['kept', 'replaced', 'gone'].map((tenant) => polis.addSetupLink({ tenant, product: 'p' })),
  );
  const select = ['--product', 'p'];
  expect((await importAll(select)).report!.setup_links).toMatchObject({ read: 3, imported: 3 });
  expect((await importAll(select)).report!.setup_links).toMatchObject({ imported: 0, unchanged: 3, revoked: 0 });
  const again = await polis.addSetupLink({ tenant: 'replaced', product: 'p' });
  await polis.removeSetupLink(gone!);
  // An import of another selection does not revoke them.
  expect((await importAll(['--product', 'q'])).report!.setup_links).toMatchObject({ read: 0, revoked: 0 });
  expect(await statuses([kept!, replaced!, gone!, again])).toEqual([200, 200, 200, 404]);
  expect((await importAll(select)).report!.setup_links).toMatchObject({ imported: 1, unchanged: 1, revoked: 1 });
  expect(await statuses([kept!, replaced!, gone!, again])).toEqual([200, 404, 404, 200]);
});

it('does not change links that were created in Rollcall', async () => {
  const own = await createLink(service, { tenant: 'both', product: 'o' });
  const link = await polis.addSetupLink({ tenant: 'both', product: 'o' });
  const { code, stderr, report } = await importAll(['--product', 'o']);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/both\/o: its setup link was left out/)]);
  expect(report!.setup_links).toMatchObject({ imported: 0, revoked: 0, skipped: [{ tenant: 'both', product: 'o' }] });
  expect(await statuses([own, link])).toEqual([200, 404]);
});

it('names the rows that cannot be read, and then revokes nothing', async () => {
  const link = await polis.addSetupLink({ tenant: 'good', product: 'u' });
  await importAll(['--product', 'u']);
  await polis.removeSetupLink(link);
  const bad = {
    'its url is not the address of a setup link': { url: 'https://polis.example/setup/short' },
    'its webhook_url is not a URL': { webhook_url: 'nowhere' },
    'its validTill is not a time': { validTill: 'tomorrow' },
    'it has no webhook_secret': { webhook_secret: '' },
  };
  const rows = [];
  for (const [index, fields] of Object.values(bad).entries())
    rows.push(await polis.addSetupLink({ tenant: `bad-${index}`, product: 'u', ...fields }));
  const { code, report } = await importAll(['--product', 'u']);
  expect(code).toBe(1);
  expect(report!.setup_links).toMatchObject({ read: 0, imported: 0, revoked: 0 });
  expect(report!.setup_links.unreadable.map(({ problem }) => problem).sort()).toEqual(Object.keys(bad).sort());
  expect(await statuses([link])).toEqual([200]);
  for (const row of rows) await polis.removeSetupLink(row);
});
