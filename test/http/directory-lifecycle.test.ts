import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ada, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { recordEveryMs: 20 });
});
afterAll(() => service.stop());

const of = ({ id }: TestDirectory, path = '') => `/api/v1/directory-sync/${id}${path}`;
const read = async (directory: TestDirectory) => (await service.api('GET', of(directory))).body.data;
const pushWith = (directory: TestDirectory, secret: string) =>
  directory.scim('GET', '/Users', undefined, { authorization: `Bearer ${secret}` }).then(({ status }) => status);

const rotate = (directory: TestDirectory, body?: unknown) => service.api('POST', of(directory, '/scim/secret/rotate'), body);

describe('the SCIM secret', () => {
  it('stays valid beside the new one during the overlap', async () => {
    const directory = await service.createDirectory();
    const { status, body } = await rotate(directory);
    expect(status).toBe(200);
    expect(body.data.secret).not.toBe(directory.secret);
    expect(Date.parse(body.data.previous_valid_until)).toBeGreaterThan(Date.now() + 86_000_000);
    expect((await read(directory)).scim.secret).toBe(body.data.secret);
    expect(await pushWith(directory, directory.secret)).toBe(200);
    expect(await pushWith(directory, body.data.secret)).toBe(200);
    expect(await pushWith(directory, `${body.data.secret}x`)).toBe(401);
  });

  it('is invalid after it expires', async () => {
    const directory = await service.createDirectory();
    const { body } = await rotate(directory, { overlap_seconds: 0 });
    expect(body.data.previous_valid_until).toBeNull();
    expect(await pushWith(directory, directory.secret)).toBe(401);
    const second = await rotate(directory, { expires_at: new Date(Date.now() + 60_000).toISOString() });
    expect(await pushWith(directory, second.body.data.secret)).toBe(200);
    await service.db.raw(`update scim_secrets set expires_at = now() where directory_id = ?`, [directory.id]);
    expect(await pushWith(directory, second.body.data.secret)).toBe(401);
    expect(await pushWith(directory, body.data.secret)).toBe(401);
  });

  it('shows when each secret was last used', async () => {
    const directory = await service.createDirectory();
    const { body } = await rotate(directory);
    await pushWith(directory, directory.secret);
    const [newest, former] = await until(async () => {
      const { scim_secrets: secrets } = (await read(directory)).health;
      return secrets[1].last_used_at !== null && secrets;
    });
    expect(newest).toMatchObject({ last_used_at: null, expires_at: null });
    expect(former.expires_at).toBe(body.data.previous_valid_until);
    expect(JSON.stringify([newest, former])).not.toContain(directory.secret);
  });

  it.each([
    [{ secret: 'short' }, 'secret must have at least 16 characters'],
    [{ secret: 'with a space in it, and long' }, 'secret must be letters'],
    [{ overlap_seconds: -1 }, 'overlap_seconds must not be negative'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must not be past'],
    [{ expires_at: 'tomorrow' }, 'expires_at must be a time like'],
    [{ overlap: 5 }, 'overlap_seconds'],
  ])('rejects %j', async (body, message) => {
    const directory = await service.createDirectory();
    const response = await rotate(directory, body);
    expect(response.status).toBe(400);
    expect(response.body.error.message).toContain(message);
    expect(await pushWith(directory, directory.secret)).toBe(200);
  });

  it('cannot be rotated for a pulled or unknown directory', async () => {
    const { id } = (await service.api('POST', '/api/v1/directory-sync', { tenant: 'acme', product: 'app', type: 'google' })).body.data;
    expect((await service.api('POST', `/api/v1/directory-sync/${id}/scim/secret/rotate`)).status).toBe(400);
    expect((await service.api('POST', `/api/v1/directory-sync/${crypto.randomUUID()}/scim/secret/rotate`)).status).toBe(404);
  });
});

describe('the health of a directory', () => {
  it('shows the last push, the last error, the counts and the delivery', async () => {
    const directory = await service.createDirectory();
    expect((await read(directory)).health).toMatchObject({
      last_push_at: null,
      last_error: null,
      users: 0,
      delivery: { status: 'no_webhook', backlog: 0 },
    });
    await directory.scim('POST', '/Users', ada);
    await directory.scim('POST', '/Users', ada);
    const health = await until(async () => {
      const found = (await read(directory)).health;
      return found.last_error !== null && found;
    });
    expect(health).toMatchObject({
      users: 1,
      groups: 0,
      last_error: { method: 'POST', path: '/Users', status: 409, detail: expect.stringContaining('userName') },
      delivery: { status: 'no_webhook', backlog: 1 },
    });
    expect(health).not.toHaveProperty('sync');
    await directory.scim('GET', '/Users');
    await until(async () => Date.parse((await read(directory)).health.last_push_at) > Date.parse(health.last_error.at));
    expect((await read(directory)).health.last_error).toEqual(health.last_error);
  });
});

describe('a deletion', () => {
  it('takes effect immediately, and leaves nothing behind', async () => {
    const directory = await service.createDirectory({ webhook_url: 'http://127.0.0.1:9/', log_webhook_events: true });
    const { body: user } = await directory.scim('POST', '/Users', ada);
    await directory.scim('POST', '/Groups', { displayName: 'Team', members: [{ value: user.id }, { value: 'somebody' }] });
    await directory.scim('POST', '/Users', ada);
    expect((await service.api('DELETE', of(directory))).status).toBe(200);
    expect((await service.api('GET', of(directory))).status).toBe(404);
    expect((await service.api('DELETE', of(directory))).status).toBe(404);
    expect(await pushWith(directory, directory.secret)).toBe(401);
    expect((await service.api('GET', `/api/v1/events?directory_id=${directory.id}`)).status).toBe(404);
    await until(async () => (await service.db('all_directories').where({ id: directory.id })).length === 0);
    const { rows } = await service.db.raw(
      `select table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where column_name = 'directory_id' and table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    for (const { table_name: table } of rows)
      expect({ table, left: await service.db(table).where({ directory_id: directory.id }) }).toEqual({ table, left: [] });
    await until(async () => (await service.client.workflow.getHandle(`deliver:${directory.id}`).describe()).status.name === 'COMPLETED');
  });
});

describe('counts', () => {
  it('cover all directories, or those of products', async () => {
    await service.createDirectory({ product: 'counted', tenant: 'one' });
    await service.createDirectory({ product: 'counted', tenant: 'two' });
    const { body } = await service.api('POST', '/api/v1/stats/product', { products: ['counted', 'nobody'], type: 'dsync' });
    expect(body.data).toEqual({ sso_connections: 0, dsync_connections: 2, identity_federation_apps: 0 });
    const all = (await service.api('GET', '/api/v1/stats')).body.data.dsync_connections;
    expect(all).toBeGreaterThan(2);
    expect((await service.api('POST', '/api/v1/stats/product', {})).body.error).toMatchObject({
      code: 'invalid_request',
      field: 'products',
    });
    const { body: listed } = await service.api('GET', '/api/v1/directory-sync/product?product=counted');
    expect(listed.data.map(({ tenant }: { tenant: string }) => tenant)).toEqual(['two', 'one']);
    expect((await service.api('GET', '/api/v1/directory-sync/product')).status).toBe(400);
  });
});
