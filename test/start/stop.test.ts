import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { createHosted, googleEnv, hold } from '../support/hosted.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { processTree } from '../support/process-tree.ts';
import { spawnRollcall, type RollcallProcess } from '../support/process.ts';
import { createEmbeddedService } from '../support/recovery.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;
/** The hard end, and a moment for the signal and the exit to be seen on a busy machine. */
const stopWithinMs = 16_500;

let installation: Installation;
let google: FakeGoogle;
beforeAll(async () => {
  google = await startFakeGoogle();
  installation = await createInstallation({ env: googleEnv(google) });
});
afterAll(async () => {
  await installation?.remove();
  await google?.stop();
});

/** Sends the signal, and gives the exit when nothing of the process is left. */
async function stop(service: RollcallProcess, again?: () => Promise<unknown>) {
  const tree = await processTree(service.pid);
  const fromMs = performance.now();
  service.signal('SIGTERM');
  await again?.();
  const exit = await service.exited;
  const tookMs = performance.now() - fromMs;
  expect(service.output()).not.toContain('panicked');
  await until(() => !tree.some(isAlive), { timeoutMs: 12_000 });
  return { ...exit, tookMs };
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const waitsForLock = () =>
  until(async () => {
    const { rows } = await installation.db.raw(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });

it(
  'a Bulk in progress does not hold up the stop, and what was acknowledged is there afterwards',
  async () => {
    await using service = await installation.start();
    const directory = await installation.createDirectory();
    const operations = Array.from({ length: 1_000 }, (_, index) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `${index}`,
      data: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: `bulk-${index}`, title: 'x'.repeat(200) },
    }));
    const pushed = directory
      .scim('POST', '/Bulk', { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: operations })
      .then(
        ({ status }) => status,
        () => 'dropped',
      );
    await until(
      async () => (await installation.db.raw(`select 1 from pg_stat_activity where application_name = 'rollcall'`)).rows.length > 0,
    );
    const { code, tookMs } = await stop(service);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    const answer = await pushed;
    const users = await installation.db('users').where({ directory_id: directory.id }).pluck('id');
    expect([`200 with 1000`, `dropped with 0`, `dropped with 1000`, `503 with 0`, `503 with 1000`]).toContain(
      `${answer} with ${users.length}`,
    );
  },
  testTimeoutMs,
);

it(
  'changes that can not be committed, tried again and again, do not hold up the stop, and are committed after the next start',
  async () => {
    await using service = await installation.start();
    const directory = await installation.createDirectory();
    const holder = await installation.db.transaction();
    await holder('directories').where({ id: directory.id }).forUpdate().first();
    const pushed = directory.scim('POST', '/Users', { userName: 'waits' }).then(
      ({ status }) => status,
      () => 'dropped',
    );
    await waitsForLock();
    const { code, tookMs } = await stop(service);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    expect([503, 'dropped']).toContain(await pushed);
    await holder.rollback();
    await using next = await installation.start();
    await until(async () => (await installation.db('users').where({ directory_id: directory.id, user_name: 'waits' })).length === 1, {
      timeoutMs: 60_000,
    });
    await next.kill();
  },
  testTimeoutMs,
);

it(
  'a search that waits does not hold up the stop',
  async () => {
    await using service = await installation.start();
    const directory = await installation.createDirectory();
    const holder = await installation.db.transaction();
    await holder.raw('lock table users in access exclusive mode');
    const answered = directory.scim('GET', '/Users?filter=title%20co%20%22x%22').then(
      ({ status }) => status,
      () => 'dropped',
    );
    await waitsForLock();
    const { code, tookMs } = await stop(service);
    await holder.rollback();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    // 400: its own time limit may end it first.
    expect([400, 503, 'dropped']).toContain(await answered);
  },
  testTimeoutMs,
);

it(
  'a sync run in progress does not hold up the stop, and goes on after the next start',
  async () => {
    for (let count = 0; count < 600; count += 1) google.addUser();
    await using service = await installation.start();
    const directory = await createHosted(installation, google);
    const page = hold(google, (request) => directory.asks('users')(request) && request.query.has('pageToken'));
    const runId = await directory.begin();
    await page.reached();
    const { code, tookMs } = await stop(service);
    page.release();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    await using next = await installation.start();
    expect(await directory.ended(runId)).toMatchObject({ state: 'succeeded', seen: { users: 600 } });
    await next.kill();
  },
  testTimeoutMs,
);

it(
  'a second SIGTERM, a while after the first, ends it at once',
  async () => {
    await using service = await installation.start();
    const directory = await installation.createDirectory();
    const holder = await installation.db.transaction();
    await holder('directories').where({ id: directory.id }).forUpdate().first();
    void directory.scim('POST', '/Users', { userName: 'waits' }).catch(() => undefined);
    await waitsForLock();
    const fromMs = performance.now();
    const { code, tookMs } = await stop(service, async () => {
      await until(() => performance.now() - fromMs > 1_500);
      service.signal('SIGTERM');
    });
    await holder.rollback();
    expect(code).toBe(1);
    expect(tookMs).toBeLessThan(6_000);
  },
  testTimeoutMs,
);

it(
  'a SIGTERM during the start ends it, with its servers, and the next start is whole',
  async () => {
    const embedded = await createEmbeddedService();
    const service = spawnRollcall({ folder: embedded.folder, env: embedded.env });
    await until(async () => (await processTree(service.pid)).length > 2);
    expect((await stop(service)).tookMs).toBeLessThan(stopWithinMs);
    const next = await embedded.start();
    expect(await stop(next)).toMatchObject({ code: 0 });
    await embedded.remove();
  },
  testTimeoutMs,
);
