import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shareTestService, type TestService } from '../support/service.ts';
import { webhook } from '../support/setup-links.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const rollcall = (...args: string[]) => callRollcall(['setup-links', ...args], at(service));
const hook = ['--webhook-url', webhook.webhook_url, '--webhook-secret', webhook.webhook_secret];

it('creates, lists, replaces and revokes a link', async () => {
  const product = `p-${randomUUID()}`;
  const owner = ['--tenant', 'acme', '--product', product];
  const settings = ['--provider', 'okta-scim-v2', '--return-url', 'https://app.example/', '--revoke-on-completion', '--expiry-days', '2'];
  const created = await rollcall(
    'create',
    ...owner,
    ...hook,
    ...settings,
    '--admin-emails',
    'ada@acme.example, ben@acme.example',
    '--roles',
    'admin, member',
  );
  const address = /^Link +(\S+)$/m.exec(created.stdout)![1]!;
  expect([created.code, (await fetch(address)).status]).toEqual([0, 200]);
  const [link, ...others] = JSON.parse((await rollcall('list', '--product', product, '--json')).stdout);
  expect([others, link]).toEqual([
    [],
    expect.objectContaining({
      url: address,
      provider: 'okta-scim-v2',
      return_url: 'https://app.example/',
      revoke_on_completion: true,
      roles: ['admin', 'member'],
      admin_emails: ['ada@acme.example', 'ben@acme.example'],
    }),
  ]);
  expect((await rollcall('list', '--product', product)).stdout).toMatch(/^acme +p-\S+ +okta-scim-v2 +opened /m);
  const replaced = JSON.parse((await rollcall('create', ...owner, ...hook, '--regenerate', '--json')).stdout);
  expect([(await fetch(address)).status, (await fetch(replaced.url)).status]).toEqual([404, 200]);
  expect((await rollcall('revoke', ...owner)).code).toBe(0);
  expect((await fetch(replaced.url)).status).toBe(404);
  expect((await rollcall('revoke', ...owner)).code).toBe(3);
});

it('requires a tenant, a product and a webhook', async () => {
  for (const args of [
    ['create', ...hook],
    ['create', '--tenant', 'a', '--product', 'b'],
    ['list', '--state', 'gone'],
    ['revoke', '--tenant', 'a'],
  ])
    expect((await rollcall(...args)).code).toBe(2);
});
