import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { createLink, linksPath, webhook } from '../support/setup-links.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const newOwner = () => ({ tenant: `t-${randomUUID()}`, product: `p-${randomUUID()}` });

it.each([
  [{ tenant: 'a:b' }, 'tenant must not contain the character “:”.'],
  [{ expiryDays: 366 }, 'expiryDays may be at most 365.'],
  [{ expiryDays: '3' }, 'expiryDays must be a number of days.'],
  [
    { return_url: 'javascript:alert(1)' },
    'return_url must be an https address like https://app.example/settings, or http on this machine, without a user name or password.',
  ],
  [{ admin_emails: ['ada'] }, 'admin_emails.0 must be email addresses.'],
  [{ revoke_on_completion: 'yes' }, 'revoke_on_completion must be true or false.'],
])('%j', async (fields, message) => {
  const { status, body } = await service.api('POST', linksPath, { ...newOwner(), ...webhook, ...fields });
  expect([status, body.error.message]).toEqual([400, message]);
});

it('says what a narrowed key may not create', async () => {
  const { id } = await service.createDirectory();
  for (const [narrowed, message] of [
    [{ directory_id: id }, 'This API key is narrowed to one directory: it cannot create setup links.'],
    [{ tenant: 'another' }, 'This API key is narrowed to another tenant: it cannot create this setup link.'],
    [{ product: 'another' }, 'This API key is narrowed to another product: it cannot create this setup link.'],
  ] as const) {
    const key = await createKey(service, { scopes: ['setup_links:write'], ...narrowed });
    const { status, body } = await key.api('POST', linksPath, { ...newOwner(), ...webhook });
    expect([status, body.error.code, body.error.message]).toEqual([403, 'key_narrowed', message]);
  }
});

it('says what a link does not allow', async () => {
  const { token } = await createLink(service, { provider: 'okta-scim-v2' });
  const create = async (type: string, headers: object = {}) => {
    const response = await fetch(`${service.baseUrl}/api/setup/${token}/directory-sync`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ type }),
    });
    return ((await response.json()) as { error: { message: string } }).error.message;
  };
  expect([await create('google'), await create('okta-scim-v2', { 'sec-fetch-site': 'cross-site' })]).toEqual([
    'This setup link is for another provider.',
    'This request comes from another site.',
  ]);
});
