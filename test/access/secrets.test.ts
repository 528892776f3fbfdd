import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKey, type TestKey } from '../support/api-keys.ts';
import { root } from '../support/operate.ts';
import { shareTestService, startTestService, type TestService } from '../support/service.ts';
import { readAuditLog } from '../support/audit.ts';

const webhook = { webhook_url: 'https://app.example/hook', webhook_secret: 'a-webhook-secret-of-24-ch' };
const google = { type: 'google', google_access_token: 'access-token', google_refresh_token: 'refresh-token' };

describe('without secrets:read', () => {
  let service: TestService;
  let key: TestKey;
  beforeAll(async () => {
    service = await shareTestService();
    key = await createKey(service, { scopes: ['directories:read', 'directories:write'] });
  });
  afterAll(() => service.stop());

  it('shows only the end of a secret', async () => {
    const { id, secret } = await service.createDirectory(webhook);
    const read = (await key.api('GET', `${root}/${id}`)).body.data;
    expect(read.scim).toMatchObject({ secret: null, secret_hint: `…${secret.slice(-4)}` });
    expect(read.webhook).toEqual({ endpoint: webhook.webhook_url, secret: null, secret_hint: '…4-ch' });
    const listed = (await key.api('GET', `${root}?tenant=acme&product=app`)).body.data.find((one: { id: string }) => one.id === id);
    expect([listed.scim, listed.webhook]).toEqual([read.scim, read.webhook]);
    expect(await readAuditLog(service, { action: 'directory.secrets_read', directory_id: id })).toEqual([]);
  });

  it('shows no end of a short secret, and no hint without a secret', async () => {
    const { id } = await service.createDirectory({ ...webhook, webhook_secret: 'short-secret' });
    expect((await key.api('GET', `${root}/${id}`)).body.data.webhook.secret_hint).toBe('…');
    const without = await service.createDirectory();
    expect((await key.api('GET', `${root}/${without.id}`)).body.data.webhook).toEqual({ endpoint: '', secret: '' });
  });

  it('hides the tokens of Google', async () => {
    const { id } = (await service.api('POST', root, { tenant: 'acme', product: 'app', ...google })).body.data;
    const { body } = await key.api('GET', `${root}/${id}`);
    expect(body.data).toMatchObject({ google_access_token: null, google_refresh_token: null, scim: { secret: '' } });
  });

  it('shows secrets that the key itself creates, once', async () => {
    const created = (await key.api('POST', root, { tenant: 'acme', product: 'app', ...webhook, webhook_secret: undefined })).body.data;
    expect([created.scim.secret, created.webhook.secret]).toEqual([expect.stringMatching(/.{16}/), expect.stringContaining('whsec_')]);
    const at = `${root}/${created.id}`;
    expect((await key.api('POST', `${at}/scim/secret/rotate`)).body.data.secret).toEqual(expect.any(String));
    expect((await key.api('POST', `${at}/webhook/secret/rotate`)).body.data.secret).toEqual(expect.any(String));
    expect((await key.api('PATCH', at, { name: 'New' })).body.data).toMatchObject({ scim: { secret: null }, webhook: { secret: null } });
    await key.api('PATCH', at, { webhook_url: '' });
    const again = await key.api('PATCH', at, { webhook_url: webhook.webhook_url });
    expect(again.body.data).toMatchObject({ scim: { secret: null }, webhook: { secret: expect.stringContaining('whsec_') } });
  });

  it('a directory keeps its secrets if an update contains them as they were read', async () => {
    const { id } = await service.createDirectory(webhook);
    const secretsOf = async () => {
      const { scim, webhook: shown } = (await service.api('GET', `${root}/${id}`)).body.data;
      return [scim.secret, shown.secret];
    };
    const before = await secretsOf();
    const { webhook: shown } = (await key.api('GET', `${root}/${id}`)).body.data;
    expect((await key.api('PATCH', `${root}/${id}`, { webhook_url: shown.endpoint, webhook_secret: shown.secret })).status).toBe(200);
    expect(await secretsOf()).toEqual(before);
  });

  it('shows secrets with the scope', async () => {
    const { id, secret, webhookSecret } = await service.createDirectory(webhook);
    const reader = await createKey(service, { scopes: ['directories:read', 'secrets:read'] });
    expect((await reader.api('GET', `${root}/${id}`)).body.data).toMatchObject({ scim: { secret }, webhook: { secret: webhookSecret } });
    expect(await readAuditLog(service, { action: 'directory.secrets_read', directory_id: id })).toMatchObject([
      { actor: { id: reader.id } },
    ]);
  });
});

describe('with SECRETS_SHOWN_ONCE', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ SECRETS_SHOWN_ONCE: 'true' }, { deliver: false });
  });
  afterAll(() => service.stop());

  it('shows a secret when it is created or rotated, and never again, even to a root key', async () => {
    const { id, secret, webhookSecret, scim } = await service.createDirectory(webhook);
    expect([secret.length > 15, webhookSecret]).toEqual([true, webhook.webhook_secret]);
    expect((await scim('GET', '/Users')).status).toBe(200);
    const admin = await createKey(service, { preset: 'admin' });
    for (const api of [service.api, admin.api])
      for (const path of [`/${id}`, '/all', '?tenant=acme&product=app', '/product?product=app']) {
        const { status, body } = await api('GET', `${root}${path}`);
        expect(status).toBe(200);
        expect(JSON.stringify(body)).not.toContain(secret);
        expect(JSON.stringify(body)).not.toContain(webhookSecret);
      }
    const rotated = (await service.api('POST', `${root}/${id}/scim/secret/rotate`)).body.data;
    expect(rotated.secret).not.toBe(secret);
    expect((await service.api('GET', `${root}/${id}`)).body.data.scim).toMatchObject({
      secret: null,
      secret_hint: `…${rotated.secret.slice(-4)}`,
    });
    expect(await readAuditLog(service, { action: 'directory.secrets_read' })).toEqual([]);
  });
});
