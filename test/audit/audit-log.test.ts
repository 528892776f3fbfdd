import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollcall } from '../../src/library/index.ts';
import { createAuditStore } from '../../src/store/audit/audit-store.ts';
import { callRollcall } from '../cli/run-rollcall.ts';
import { readAuditLog } from '../support/audit.ts';
import { root } from '../support/operate.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { unlimitedReads } from '../support/unlimited-reads.ts';
import { until } from '../support/until.ts';

let service: TestService;
let operator: Receiver;
let folder: string;
const encryptionKey = Buffer.alloc(32, 7);
let databaseUrl = '';
beforeAll(async () => {
  operator = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  service = await startTestService(
    { WEBHOOK_URL: operator.url, AUDIT_LOG_WEBHOOK: 'true', TRUSTED_PROXIES: '127.0.0.0/8' },
    { encryptionKey },
  );
  databaseUrl = (service.db.client as { config: { connection: { connectionString: string } } }).config.connection.connectionString;
});
afterAll(async () => {
  await service.stop();
  await operator.close();
  await rm(folder, { recursive: true });
});

const path = '/api/v1/audit-log';
const cli = (...args: string[]) => callRollcall(['audit', ...args], { env: { ROLLCALL_URL: service.baseUrl, ROLLCALL_API_KEY: apiKey } });
const exportAs = async (format: string) => {
  const response = await fetch(`${service.baseUrl}${path}/export?format=${format}`, { headers: { authorization: `Api-Key ${apiKey}` } });
  expect(response.status).toBe(200);
  return { type: response.headers.get('content-type'), text: await response.text() };
};

it('records what a change of settings changed, without secrets and without the query of an address', async () => {
  const { id } = await service.createDirectory({ name: 'Acme', webhook_url: 'https://app.example/a?token=canary' });
  await service.api('PATCH', `${root}/${id}`, {
    name: 'Acme Corporation',
    webhook_url: 'https://app.example/b?token=canary',
    webhook_secret: 'canary of a secret',
    quotas: { users: 7 },
    log_webhook_events: false,
  });
  const [updated, created] = await readAuditLog(service, { directory_id: id });
  expect(created).toMatchObject({
    action: 'directory.created',
    changes: {
      name: { from: null, to: 'Acme' },
      webhook_url: { from: null, to: 'https://app.example' },
      webhook_secret: { changed: true },
    },
  });
  expect(updated!.changes).toEqual({
    name: { from: 'Acme', to: 'Acme Corporation' },
    webhook_url: { changed: true },
    webhook_secret: { changed: true },
    quotas: { from: null, to: { users: 7 } },
  });
  expect(updated!.targets).toEqual([{ type: 'directory', id, tenant: 'acme', product: 'app' }]);
  expect(JSON.stringify([updated, created])).not.toContain('canary');
});

it('records where a request came from, as trusted proxies report it', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'terraform/1.9', 'x-request-id': 'request-of-terraform' };
  await service.api('POST', root, { tenant: 'proxied', product: 'app' }, headers);
  const [entry] = await readAuditLog(service, { tenant: 'proxied' });
  expect(entry!.context).toEqual({ location: '203.0.113.9', user_agent: 'terraform/1.9', request_id: 'request-of-terraform' });
});

it('records the first read of secrets within an hour', async () => {
  const { id } = await service.createDirectory();
  for (let read = 0; read < 3; read += 1) await service.api('GET', `${root}/${id}`);
  expect(await readAuditLog(service, { target: id, action: 'directory.secrets_read' })).toHaveLength(1);
});

it('finds entries by actor, action, target, owner and time, page by page, also after the directory is gone', async () => {
  const { id } = await service.createDirectory({ tenant: 'sought', product: 'crm' });
  await service.api('POST', `${root}/${id}/pause`);
  await service.api('DELETE', `${root}/${id}`);
  const actions = async (query: Record<string, string>) => (await readAuditLog(service, query)).map(({ action }) => action);
  const all = ['directory.deleted', 'delivery.paused', 'directory.created'];
  expect(await actions({ tenant: 'sought', product: 'crm' })).toEqual(all);
  expect(await actions({ directory_id: id.toUpperCase(), order: 'asc' })).toEqual(all.toReversed());
  expect(await actions({ target: id, action: 'delivery.paused,directory.created' })).toEqual(all.slice(1));
  expect(await actions({ target: id, actor: 'root_1' })).toEqual(all);
  expect(await actions({ target: id, actor: 'root_2' })).toEqual([]);
  expect(await actions({ tenant: 'sought', product: 'other' })).toEqual([]);
  expect(await actions({ target: id, range_end: '2026-01-01T00:00:00Z' })).toEqual([]);
  expect(await actions({ target: id, range_start: '2026-01-01T00:00:00Z' })).toEqual(all);

  const found: string[] = [];
  for (let after = '', more = true; more;) {
    const { body } = await service.api('GET', `${path}?target=${id}&limit=1&after=${after}`);
    found.push(...body.data.map(({ action }: { action: string }) => action));
    ({ after, has_more: more } = body.list_metadata);
  }
  expect(found).toEqual(all);
});

it.each([
  ['after=canary', 'after'],
  ['action=directory.made', 'action'],
  ['range_start=2026-01-02T00:00:00Z&range_end=2026-01-01T00:00:00Z', 'range_end'],
  ['limit=-1', 'limit'],
  ['order=up', 'order'],
])('rejects %s', async (query, field) => {
  const { status, body } = await service.api('GET', `${path}?${query}`);
  expect([status, body.error.code, body.error.field]).toEqual([400, 'invalid_request', field]);
});

it('requires an API key', async () => {
  for (const one of [path, `${path}/chain`, `${path}/export`]) expect((await fetch(`${service.baseUrl}${one}`)).status).toBe(401);
});

it('groups refused credentials by source, so that a flood adds few entries', async () => {
  const before = (await readAuditLog(service, { action: 'sign_in.refused' })).length;
  const refuse = (address: string) =>
    fetch(`${service.baseUrl}/api/v1/directory-sync`, { headers: { authorization: 'Api-Key wrong', 'x-forwarded-for': address } });
  for (let one = 0; one < 30; one += 1) await refuse('198.51.100.1');
  await refuse('198.51.101.1');
  const refused = await until(async () => {
    const entries = await readAuditLog(service, { action: 'sign_in.refused' });
    return entries.length === before + 2 && entries;
  });
  expect(refused[1]).toMatchObject({
    actor: { type: 'anonymous' },
    context: { location: '198.51.100.1' },
    changes: { at: 'api' },
    result: 'refused',
  });
});

it('sends each entry to the operator', async () => {
  const { id } = await service.createDirectory({ tenant: 'told' });
  const [entry] = await readAuditLog(service, { directory_id: id });
  const { event } = await until(() =>
    operator.received.find((one) => one.event.event === 'dsync.audit' && one.event.data.id === entry!.id),
  );
  expect(event).toMatchObject({ tenant: 'told', product: 'app', data: entry, occurred_at: entry!.occurred_at });
});

it('attributes what an embedding application does to the library', async () => {
  const library = await rollcall({
    databaseUrl,
    externalUrl: 'https://app.example',
    encryptionKeys: [encryptionKey.toString('base64')],
    logTo: { write: () => undefined },
  });
  const { data } = await library.directories.create({ tenant: 'embedded', product: 'app' });
  await library.stop();
  const [entry] = await readAuditLog(service, { directory_id: data!.id });
  expect(entry).toMatchObject({ action: 'directory.created', actor: { type: 'library' } });
});

it('exports JSON Lines and CSV, in which no cell is a formula', async () => {
  await service.api('POST', root, { tenant: 'exported', product: 'app' }, { 'user-agent': '=cmd|"calc"' });
  const lines = await exportAs('jsonl');
  const entries = lines.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.type).toContain('application/jsonl');
  expect(entries.map(({ position }) => position)).toEqual(entries.map((_, at) => at + 1));
  expect(entries.at(-1).action).toBe('audit_log.exported');
  const csv = await exportAs('csv');
  expect(csv.type).toContain('text/csv');
  const rows = csv.text.trimEnd().split('\r\n');
  expect(rows[0]).toMatch(/^position,id,occurred_at,action/);
  expect(rows.length).toBe(entries.length + 2);
  expect(csv.text).toContain(`,"'=cmd|""calc""",`);
});

it('lists and verifies on the command line', async () => {
  const listed = await cli('list', '--tenant', 'sought');
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('directory.deleted')]);
  const exported = await cli('export');
  const file = join(folder, 'audit.jsonl');
  await writeFile(file, exported.stdout);
  const fits = await cli('verify');
  expect([fits.code, fits.stdout]).toEqual([0, expect.stringMatching(/^All [\d,]+ entries fit. The last one is \d+:[\da-f]{64}$/m)]);
  const last = /\d+:[\da-f]{64}/.exec(fits.stdout)![0];
  expect((await cli('verify', '--expect', last)).code).toBe(0);
  expect((await cli('verify', '--expect', `3:${'0'.repeat(64)}`)).stdout).toContain('position 3');
  expect((await cli('verify', file)).code).toBe(0);
  const lines = (await readFile(file, 'utf8')).split('\n');
  lines[4] = lines[4]!.replace('"success"', '"refused"');
  await writeFile(file, lines.join('\n'));
  const changed = await cli('verify', file, '--json');
  expect([changed.code, JSON.parse(changed.stdout).problem.position]).toEqual([6, 5]);
});

it('finds what an owner of the tables has changed, and that the newest entries were removed', async () => {
  const tamper = async (statement: string) => {
    await service.db.transaction(async (trx) => {
      await trx.raw('set local session_replication_role = replica');
      await trx.raw(statement);
    });
  };
  await service.createDirectory();
  const { body } = await service.api('GET', `${path}?limit=1`);
  await tamper(
    `create table kept as select body, position, hash from audit_log; delete from audit_log where position = ${body.data[0].position}`,
  );
  const cut = await cli('verify', '--json');
  expect([cut.code, JSON.parse(cut.stdout).problem.position]).toEqual([6, body.data[0].position]);
  await tamper(`insert into audit_log (body, position, hash) select * from kept where position = ${body.data[0].position}`);
  await tamper(`update audit_log set body = replace(body, 'root_1', 'root_9') where position = 2`);
  const changed = await cli('verify');
  expect([changed.code, changed.stdout]).toEqual([6, expect.stringContaining('position 2 (')]);
  await tamper(`update audit_log a set body = k.body from kept k where k.position = 2 and a.position = 2; drop table kept`);
  expect((await cli('verify')).code).toBe(0);
  await tamper(`create table kept as select hash from audit_chain; update audit_chain set hash = sha256('another')`);
  expect((await cli('verify')).code).toBe(6);
  await tamper(`update audit_chain set hash = (select hash from kept); drop table kept`);
});

it('verifies what is left after the retention, and says that an expected entry is too old', async () => {
  const first = (await service.api('GET', `${path}?order=asc&limit=2`)).body.data as { position: number; hash: string }[];
  expect(await createAuditStore(unlimitedReads(service.db)).dropExpired(0, 2)).toBe(2);
  const [older, anchor] = first.map(({ position, hash }) => `${position}:${hash}`);
  expect((await cli('verify')).code).toBe(0);
  expect((await cli('verify', '--expect', anchor!)).code).toBe(0);
  const late = await cli('verify', '--expect', older!);
  expect([late.code, late.stdout]).toEqual([6, expect.stringContaining('retention')]);
});
