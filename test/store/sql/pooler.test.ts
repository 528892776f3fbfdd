import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/store/database.ts';
import { createAdvisoryLock } from '../../../src/store/sql/advisory-lock.ts';
import { createRunRead } from '../../../src/store/sql/run-read.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { expectInOrder, expectStored, receivedFor, untilDelivered } from '../../support/deliveries.ts';
import { readFeed } from '../../support/feed-requests.ts';
import { operate } from '../../support/operate.ts';
import { createPolisTables } from '../../support/polis-tables.ts';
import { createPooledDatabase, type PooledDatabase } from '../../support/pooler.ts';
import { spawnRollcall } from '../../support/process.ts';
import { startReceiver } from '../../support/receiver.ts';
import { apiKey, startTestService, toTestDirectory, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { startWriters } from '../../support/writers.ts';
import { callRollcall } from '../../cli/run-rollcall.ts';

const testTimeoutMs = 240_000;

let pooled: PooledDatabase;
let env: Record<string, string>;
let neededSettings: string[];
beforeAll(async () => {
  pooled = await createPooledDatabase();
  env = { DATABASE_URL: pooled.url, DATABASE_POOLER: 'transaction' };
  neededSettings = [
    ['enable_seqscan', 'off'],
    ['jit', 'off'],
    ['max_parallel_workers_per_gather', '0'],
    ['statement_timeout', '30s'],
    ['lock_timeout', '5s'],
    ['idle_in_transaction_session_timeout', '30s'],
  ].map(([setting, value]) => `alter role ${pooled.name} set ${setting} = '${value}';`);
}, testTimeoutMs);
afterAll(() => pooled?.drop());

const serviceEnv = () => ({
  ...env,
  TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS']!,
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
  API_KEYS: apiKey,
  PORT: '0',
});

/** What the start of a service prints before it fails. */
async function readStartError(more: Record<string, string> = {}): Promise<string> {
  await using folder = await temporaryFolder();
  const starting = spawnRollcall({ command: ['api'], folder: folder.path, env: { ...serviceEnv(), ...more } });
  expect((await starting.exited).code).toBe(1);
  return starting.output();
}

const doctorFindings = async (more: Record<string, string> = {}) => {
  await using folder = await temporaryFolder();
  const { stdout } = await callRollcall(['doctor', '--json'], { folder: folder.path, env: { ...serviceEnv(), ...more } });
  const { findings } = JSON.parse(stdout) as { findings: { check: string; verdict: string; message: string; advice?: string }[] };
  return findings.filter(({ check, verdict }) => check === 'Database' && verdict === 'problem');
};

it(
  'refuses to start without the settings of the role, and prints the statements that set them',
  async () => {
    // The migration needs neither the setting nor those of the role. Some of these processes wait for the others.
    await Promise.all(Array.from({ length: 6 }, () => migrate(pooled.url)));
    expect(await readStartError({ DATABASE_POOLER: '' })).toContain('Set DATABASE_POOLER=transaction if it is in transaction mode');
    expect(await doctorFindings({ DATABASE_POOLER: '' })).toMatchObject([{ message: expect.stringContaining('rejects the settings') }]);
    expect(await readStartError()).toContain(neededSettings.join('\n  '));
    const findings = await doctorFindings();
    expect(findings).toMatchObject([{ message: expect.stringContaining('lacks settings') }]);
    expect(JSON.stringify(findings)).toContain(neededSettings.join(' '));

    await pooled.db.raw(neededSettings.join(' '));
    await pooled.reconnect();
    expect(await doctorFindings()).toEqual([]);
  },
  testTimeoutMs,
);

describe('the service', () => {
  let service: TestService;
  let another: Awaited<ReturnType<TestService['startAnother']>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startTestService(env, {
      openDatabase: () => Promise.resolve({ db: pooled.db, url: pooled.url, drop: () => Promise.resolve() }),
    });
    another = await service.startAnother();
  }, testTimeoutMs);
  afterAll(async () => {
    await another?.stop();
    await service?.stop();
    await receiver?.close();
  });

  it(
    'applies changes, lists, feeds, delivers, replays and deletes',
    async () => {
      const directory = await service.createDirectory({ webhook_url: receiver.url, log_webhook_events: true });
      const viaAnother = toTestDirectory(another.baseUrl, {
        ...directory,
        scim: { secret: directory.secret },
        webhook: { secret: directory.webhookSecret },
      });
      const created = await Promise.all(
        Array.from({ length: 60 }, (_, n) => (n % 2 ? directory : viaAnother).scim('POST', '/Users', { userName: `user${n}`, title: 'x' })),
      );
      expect([...new Set(created.map(({ status }) => status))]).toEqual([201]);
      const [{ id }, { id: memberId }] = created.map(({ body }) => body);
      const bulk = await viaAnother.scim('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: Array.from({ length: 50 }, (_, n) => ({
          method: 'POST',
          path: '/Users',
          bulkId: `${n}`,
          data: { userName: `bulk${n}` },
        })),
      });
      expect(bulk.body.Operations.filter(({ status }: { status: string }) => status !== '201')).toEqual([]);
      const group = await directory.scim('POST', '/Groups', { displayName: 'Team', members: [{ value: id }] });
      const patch = async (path: string, operation: object) =>
        (await directory.scim('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] }))
          .status;
      expect(await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })).toBe(200);
      expect(await patch(`/Groups/${group.body.id}`, { op: 'add', path: 'members', value: [{ value: memberId }] })).toBe(204);

      const count = async (filter: string) =>
        (await viaAnother.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults as number;
      expect(await Promise.all(['userName eq "user7"', 'active eq false', 'title co "x"', 'userName sw "bulk"'].map(count))).toEqual([
        1, 1, 60, 50,
      ]);
      const last = await untilDelivered(pooled.db, directory);
      expectInOrder(receivedFor(receiver, directory), directory, last);
      const { events } = await readFeed(service, { directory_id: directory.id, limit: 500 });
      expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: Math.min(last, 500) }, (_, index) => index + 1));

      const before = receiver.received.length;
      const { replay } = operate(service, directory);
      expect(await replay({ mode: 'range', from_sequence: 2, to_sequence: 11 })).toMatchObject({ done: 10 });
      expect(receiver.received.slice(before).map(({ event }) => event.sequence)).toEqual(
        Array.from({ length: 10 }, (_, index) => index + 2),
      );

      expect((await service.api('DELETE', `/api/v1/directory-sync/${directory.id}`)).status).toBe(200);
      await until(async () => (await pooled.db('all_directories').where({ id: directory.id })).length === 0);
      expect(await pooled.db('users').where({ directory_id: directory.id })).toEqual([]);
    },
    testTimeoutMs,
  );

  it(
    'keeps what it acknowledged, in order, when the pooler is killed under load and returns',
    async () => {
      const directories = await Promise.all([1, 2].map(() => service.createDirectory({ webhook_url: receiver.url })));
      const writers = startWriters(directories);
      await until(() => writers.acknowledged.length > 50);
      await pooled.kill();
      await until(() => (writers.responses['503'] ?? 0) >= 8);
      const before = writers.acknowledged.length;
      await pooled.startAgain();
      await until(() => writers.acknowledged.length > before + 50, { timeoutMs: 60_000 });
      await writers.stop();
      expect(writers.wrong).toEqual([]);
      for (const directory of directories) {
        const last = await untilDelivered(pooled.db, directory, 60_000);
        await expectStored(pooled.db, directory, writers.acknowledged);
        expectInOrder(receivedFor(receiver, directory), directory, last);
      }
    },
    testTimeoutMs,
  );

  it('counts requests in Postgres', async () => {
    const limited = await service.startAnother({ LIMITS_PLAN: 'production', LIMITS_STORE: 'postgres', TRUSTED_PROXIES: '127.0.0.0/8' });
    const decide = async () => (await fetch(`${limited.baseUrl}/api/v1/limits/decision/admin/recovery/code`, { method: 'POST' })).status;
    await until(async () => (await decide()) === 429);
    await limited.stop();
  });

  it('prepares no statement', async () => {
    const own = openDatabase(pooled.url, { pooler: 'transaction', poolSize: 2 });
    const found = await Promise.all(
      Array.from({ length: 2 }, () => own.raw<{ rows: { name: string }[] }>('select name, pg_sleep(0.05) from pg_prepared_statements')),
    );
    await own.destroy();
    expect(found.flatMap(({ rows }) => rows)).toEqual([]);
  });
});

const openPooled = (poolSize: number) => openDatabase(pooled.url, { pooler: 'transaction', poolSize });
const start = (searches: ReturnType<typeof openPooled>, size: number) =>
  createRunRead(
    { db: searches, searches, sizes: { db: size, searches: size } },
    { timeoutMs: 60_000, searchTimeoutMs: 50_000, searchesPerDirectory: size, searchesWaitingPerDirectory: 10 },
  );
const countActive = async () => {
  const { rows } = await pooled.db.raw<{ rows: { active: number }[] }>(
    `select count(*) as active from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep(%'
         and pid <> pg_backend_pid()`,
  );
  return rows[0]!.active;
};

describe('a statement', () => {
  it(
    'is canceled in Postgres when its caller leaves',
    async () => {
      const searches = openPooled(1);
      const caller = new AbortController();
      const reading = start(searches, 1)({ cost: 'search', directoryId: 'd', signal: caller.signal }, (db) =>
        db.raw('select pg_sleep(30)'),
      );
      await until(async () => (await countActive()) === 1);
      caller.abort(new Error('left'));
      await expect(reading).rejects.toThrow('left');
      await until(async () => (await countActive()) === 0, { timeoutMs: 10_000 });
      expect((await searches.raw('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await searches.destroy();
    },
    testTimeoutMs,
  );

  it(
    'does not run, and cancels nothing, if its caller leaves while it waits for a connection of the pooler',
    async () => {
      const [busy, waiting] = [openPooled(2), openPooled(1)];
      const transactions = await Promise.all([1, 2].map(() => busy.transaction()));
      await Promise.all(transactions.map((trx) => trx.raw('select 1')));
      const sleeping = transactions.map((trx) => trx.raw('select pg_sleep(5)'));
      const ends = Promise.all(sleeping.map((sleep) => sleep.then(() => 'whole')));
      await until(async () => (await countActive()) === 2);
      const caller = new AbortController();
      const runRead = start(waiting, 1);
      const reading = runRead({ cost: 'search', directoryId: 'd', signal: caller.signal }, (db) =>
        db.raw('insert into encryption_keys (id) select ? from pg_sleep(3)', ['abandoned']),
      );
      caller.abort(new Error('left'));
      await expect(reading).rejects.toThrow('left');
      expect(await ends).toEqual(['whole', 'whole']);
      await Promise.all(transactions.map((trx) => trx.commit()));
      const next = await runRead({ cost: 'search', directoryId: 'd' }, (db) => db.raw<{ rows: unknown[] }>('select 2 as two'));
      expect(next.rows).toEqual([{ two: 2 }]);
      expect(await pooled.db('encryption_keys').where({ id: 'abandoned' })).toEqual([]);
      await Promise.all([busy.destroy(), waiting.destroy()]);
    },
    testTimeoutMs,
  );

  it(
    'of another client is never canceled',
    async () => {
      const [leaving, others] = [openPooled(3), openPooled(6)];
      const runRead = start(leaving, 3);
      const failures = new Set<string>();
      for (let round = 0; round < 60; round += 1) {
        const caller = new AbortController();
        const readings = [1, 2, 3].map(() =>
          runRead({ cost: 'search', directoryId: 'd', signal: caller.signal }, (db) => db.raw('select pg_sleep(0.004)')).catch(
            (error: Error) => void failures.add(error.message),
          ),
        );
        const whole = Promise.all(Array.from({ length: 20 }, () => others.raw('select pg_sleep(0.002)')));
        setTimeout(() => caller.abort(new Error('left')), round % 12);
        await Promise.all([...readings, whole]);
      }
      expect([...failures]).toEqual(['left']);
      await Promise.all([leaving.destroy(), others.destroy()]);
    },
    testTimeoutMs,
  );
});

const never = () => Promise.reject(new Error('Both hold it.'));

it('lets one process at a time hold the lock of a directory, while the pooler serves others', async () => {
  const withLock = createAdvisoryLock(pooled.url);
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isHeld = false;
  const first = withLock('one', () => {
    isHeld = true;
    return released;
  });
  await until(() => isHeld);
  expect(await Promise.all([withLock('one', never), withLock('one', never), withLock('two', () => Promise.resolve())])).toEqual([
    false,
    false,
    true,
  ]);
  release!();
  expect(await first).toBe(true);
  await until(() => withLock('one', () => Promise.resolve()));
});

it(
  'imports from Polis',
  async () => {
    const [polis, target] = [await createPolisTables(), await createPooledDatabase()];
    try {
      await migrate(target.url);
      const directory = await polis.addDirectory();
      const user = await polis.addUser(directory);
      const importEnv = { DATABASE_URL: target.url, DATABASE_POOLER: 'transaction', ENCRYPTION_KEYS: randomBytes(32).toString('base64') };
      for (const status of ['imported', 'unchanged']) {
        const { stdout, stderr } = await callRollcall(['import', 'polis', '--source', polis.url, '--json'], { env: importEnv });
        expect([stderr, JSON.parse(stdout || '{}')]).toMatchObject([
          expect.any(String),
          { directories: [{ status, users: { imported: 1 } }] },
        ]);
      }
      expect(await target.db('users').where({ directory_id: directory.id }).pluck('id')).toEqual([user.id]);
      // The session of the pooler stays. Others get it.
      expect(await target.db('pg_class').where({ relpersistence: 't' }).pluck('relname')).toEqual([]);
    } finally {
      await Promise.all([polis.drop(), target.drop()]);
    }
  },
  testTimeoutMs,
);
