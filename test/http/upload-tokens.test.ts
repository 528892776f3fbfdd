import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allOperations } from '../../src/http/operations.ts';
import { readAuditLog } from '../support/audit.ts';
import { createCsvDirectory, filesPath, send, toForm } from '../support/csv-directory.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const files = { 'users.csv': 'idp_id,email\n1,ada@acme.example\n' };

async function createToken(fields: Record<string, unknown> = {}) {
  const directory = await createCsvDirectory(service);
  const path = `${directory.path}/upload-tokens`;
  const { status, body } = await service.api('POST', path, { name: 'HR', ...fields });
  expect(status).toBe(201);
  const { token, upload_endpoint: endpoint, ...shown } = body.data;
  return { directory, path, token: token as string, endpoint: endpoint as string, shown, id: shown.id as string };
}

it('is shown once, and only its hash is stored', async () => {
  const { directory, path, token, endpoint, shown } = await createToken();
  expect(token).toMatch(/^rcu_[\w-]{43}$/);
  expect(endpoint).toBe(`${service.baseUrl}${directory.files}`);
  expect((await service.api('GET', path)).body.data).toEqual([shown]);
  const { rows } = await service.db.raw('select body from audit_log');
  const stored = await service.db('upload_tokens').where({ directory_id: directory.id });
  expect(JSON.stringify([rows, stored, service.logs])).not.toContain(token.slice(4));
});

it('uploads files, and the run, the audit log and its last use say so', async () => {
  const { directory, token, id, path } = await createToken();
  const { status, body } = await directory.upload(files, { key: token });
  expect(status).toBe(202);
  expect((await directory.untilEnded(body.data.run_id)).state).toBe('succeeded');
  const [entry] = await readAuditLog(service, { action: 'directory.files_uploaded', directory_id: directory.id });
  expect(entry).toMatchObject({ actor: { type: 'upload_token', id, name: 'HR' }, changes: { users: 1, dry_run: false } });
  await until(async () => (await service.api('GET', path)).body.data[0].last_used_at !== null);
});

describe('a token opens nothing else', () => {
  const others = allOperations.filter(({ auth, id, requiresLimits }) => auth === 'apiKey' && id !== 'uploadFiles' && !requiresLimits);
  it.each(others.map((operation) => [operation.id, operation] as const))('not %s', async (_, { method, path }) => {
    const { directory, token } = await shared();
    const to = path.replace('{directoryId}', directory.id).replaceAll(/\{\w+\}/g, '01a1fd46-beef-7978-b244-a1855f394770');
    const { status, body } = await send(service, to, { method: method.toUpperCase(), key: token });
    // The metrics take other keys.
    expect([status, body.error.code]).toEqual(path === '/metrics' ? [401, 'unauthorized'] : [403, 'insufficient_scope']);
  });

  it('and not the files of another directory', async () => {
    const { token } = await shared();
    const other = await createCsvDirectory(service);
    const { status } = await other.upload(files, { key: token });
    expect([status, await other.runs()]).toEqual([404, []]);
  });

  let created: ReturnType<typeof createToken> | undefined;
  const shared = () => (created ??= createToken());
});

describe('is rejected', () => {
  it('once it is revoked', async () => {
    const { directory, token, path, id } = await createToken();
    const { status, body } = await service.api('DELETE', `${path}/${id}`);
    expect([status, body.data.revoked_at]).toEqual([200, expect.any(String)]);
    expect((await directory.upload(files, { key: token })).status).toBe(401);
    expect(await directory.runs()).toEqual([]);
  });

  it('once it has expired', async () => {
    const { directory, token, id } = await createToken();
    await service
      .db('upload_tokens')
      .where({ id })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    expect((await directory.upload(files, { key: token })).status).toBe(401);
  });

  it.each(['', `rcu_${'x'.repeat(43)}`, 'rcu_'])('if it is unknown: %j', async (key) => {
    const { directory } = await createToken();
    expect((await send(service, filesPath(directory.id), { body: toForm(files), key })).status).toBe(401);
  });

  it('with its directory', async () => {
    const { directory, token } = await createToken();
    await service.api('DELETE', directory.path);
    expect((await directory.upload(files, { key: token })).status).toBe(401);
  });
});

it('has a bounded number and lifetime, and only directories of files have any', async () => {
  const { path } = await createToken();
  for (let count = 1; count < 10; count += 1) expect((await service.api('POST', path, { name: 'a' })).status).toBe(201);
  expect((await service.api('POST', path, { name: 'a' })).body.error.code).toBe('invalid_request');
  const late = await service.api('POST', path, { name: 'a', expires_at: '2999-01-01T00:00:00Z' });
  expect([late.status, late.body.error.field]).toEqual([400, 'expires_at']);
  expect((await service.api('POST', path, { name: 'a', expires: '2027-01-01T00:00:00Z' })).status).toBe(400);
  const pushed = await service.createDirectory();
  expect((await service.api('POST', `/api/v1/directory-sync/${pushed.id}/upload-tokens`, { name: 'a' })).status).toBe(400);
});
