import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { createPulledDirectory, googleEnv, hold } from '../support/pulled-directories.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { listProcessTree, readProcessIdentity } from '../../src/embedded/processes.ts';
import { spawnRollcall, type RollcallProcess } from '../support/process.ts';
import { freeze } from '../support/process-tree.ts';
import { createEmbeddedService } from '../support/recovery.ts';
import { crashRounds as rounds, everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;
/** The hard end of 15 s, and a moment for the signal and the exit on a busy machine. */
const stopWithinMs = 20_000;
/** After a second SIGTERM, or a kill, the servers end by themselves. */
const orphansGoneWithinMs = 30_000;

let installation: Installation;
let google: FakeGoogle;
beforeAll(async () => {
  google = await startFakeGoogle();
  // Shorter than by default: a stop waits for the responses to requests in progress.
  installation = await createInstallation({ env: { ...googleEnv(google), SCIM_TIMEOUT_MS: '2000' } });
});
afterAll(async () => {
  await installation?.remove();
  await google?.stop();
});

/** Sends the signal, once or until the process ends, and returns the exit when no child process is left. */
async function stop(service: RollcallProcess, { repeat = false } = {}) {
  const tree = await listProcessTree(service.pid);
  const fromMs = performance.now();
  let hasExited = false;
  void service.exited.then(() => (hasExited = true));
  service.signal('SIGTERM');
  if (repeat)
    await until(() => {
      service.signal('SIGTERM');
      return hasExited;
    });
  const exit = await service.exited;
  const tookMs = performance.now() - fromMs;
  expect(service.output()).not.toContain('panicked at');
  await until(async () => (await Promise.all(tree.map(readProcessIdentity))).every((identity) => identity === undefined), {
    timeoutMs: orphansGoneWithinMs,
  });
  return { ...exit, tookMs };
}

async function isDoing(what: string): Promise<boolean> {
  const { rows } = await installation.db.raw(
    `select from pg_stat_activity where datname = current_database() and application_name = 'rollcall' and pid <> pg_backend_pid() and ${what}`,
  );
  return rows.length > 0;
}

const waitsForLock = () => until(() => isDoing(`wait_event_type = 'Lock'`));

it(
  'a Bulk request in progress does not delay the stop, and no acknowledged change is lost',
  async () => {
    for (let round = 1; round <= rounds; round += 1) {
      await using service = await installation.start();
      const directory = await installation.createDirectory({ tenant: `bulk-${round}` });
      const operations = Array.from({ length: 1_000 }, (_, index) => ({
        method: 'POST',
        path: '/Users',
        bulkId: `${index}`,
        data: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: `bulk-${index}`, title: 'x'.repeat(200) },
      }));
      let hasEnded = false;
      const pushed = directory
        .scim('POST', '/Bulk', { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: operations })
        .then(
          ({ status }) => status,
          () => 'dropped',
        )
        .finally(() => (hasEnded = true));
      await until(async () => hasEnded || (await isDoing(`state = 'active'`)), { everyMs: 1 });
      const { code, tookMs } = await stop(service);
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(stopWithinMs);
      const response = await pushed;
      const users = await installation.db('users').where({ directory_id: directory.id }).pluck('id');
      expect([`200 with 1000`, `dropped with 0`, `dropped with 1000`, `503 with 0`, `503 with 1000`]).toContain(
        `${response} with ${users.length}`,
      );
    }
  },
  testTimeoutMs * rounds,
);

interface Obstacle {
  how: string;
  place(directoryId: string): Promise<() => Promise<unknown>>;
  /** Waits until a change is blocked by it. */
  met(): Promise<unknown>;
}

const obstacles: Obstacle[] = [
  {
    how: 'wait for a lock',
    async place(directoryId) {
      const holder = await installation.db.transaction();
      await holder('directories').where({ id: directoryId }).forUpdate().first();
      return () => holder.rollback();
    },
    met: waitsForLock,
  },
  {
    // Most of the time they wait for their next attempt.
    how: 'fail immediately',
    async place() {
      await installation.db.raw(`
        create sequence attempts;
        create function fail() returns trigger language plpgsql as $$
          begin
            perform nextval('attempts');
            raise exception using errcode = 'cannot_connect_now';
          end $$;
        create trigger fail before insert on users for each statement execute function fail()`);
      return () => installation.db.raw('drop function fail cascade; drop sequence attempts');
    },
    met: () => until(async () => (await installation.db('attempts').first('last_value')).last_value > 5, { timeoutMs: 60_000 }),
  },
];

it.each(obstacles)(
  'changes that are retried because they $how do not delay the stop, and are committed after the next start',
  async ({ place, met }) => {
    for (let round = 1; round <= rounds; round += 1) {
      await using service = await installation.start();
      const directory = await installation.createDirectory({ tenant: `tenant-${round}` });
      const remove = await place(directory.id);
      const pushed = directory.scim('POST', '/Users', { userName: 'waits' }).then(
        ({ status }) => status,
        () => 'dropped',
      );
      const { code, tookMs } = await met()
        .then(() => stop(service))
        .finally(remove);
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(stopWithinMs);
      expect([503, 'dropped']).toContain(await pushed);
      // A worker that is forced to end with a local activity left makes Temporal's core panic when it is collected.
      expect(service.output()).not.toContain('Worker failed');
      await using next = await installation.start();
      await until(async () => (await installation.db('users').where({ directory_id: directory.id, user_name: 'waits' })).length === 1, {
        timeoutMs: 60_000,
      });
      await next.kill();
    }
  },
  testTimeoutMs * rounds,
);

it.each(everyRound)(
  'a waiting search does not delay the stop (round %i)',
  async () => {
    await using service = await installation.start();
    const directory = await installation.createDirectory();
    const holder = await installation.db.transaction();
    await holder.raw('lock table users in access exclusive mode');
    const response = directory.scim('GET', '/Users?filter=title%20co%20%22x%22').then(
      ({ status }) => status,
      () => 'dropped',
    );
    await waitsForLock();
    const { code, tookMs } = await stop(service);
    await holder.rollback();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    // 400 if its own time limit ends it first.
    expect([400, 503, 'dropped']).toContain(await response);
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'a sync run in progress does not delay the stop, and continues after the next start (round %i)',
  async () => {
    while (google.users.size < 600) google.addUser();
    await using service = await installation.start();
    const directory = await createPulledDirectory(installation, google);
    const page = hold(google, (request) => directory.isRequestFor('users')(request) && request.query.has('pageToken'));
    const runId = await directory.begin();
    await page.reached();
    const { code, tookMs } = await stop(service);
    page.release();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    await using next = await installation.start();
    expect(await directory.untilEnded(runId)).toMatchObject({ state: 'succeeded', seen: { users: 600 } });
    await next.kill();
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'a second SIGTERM ends the process immediately (round %i)',
  async () => {
    await using service = await installation.start();
    const directory = await installation.createDirectory();
    const holder = await installation.db.transaction();
    await holder('directories').where({ id: directory.id }).forUpdate().first();
    void directory.scim('POST', '/Users', { userName: 'waits' }).catch(() => undefined);
    await waitsForLock();
    const { code, tookMs } = await stop(service, { repeat: true });
    await holder.rollback();
    expect(code).toBe(1);
    // The drain takes 13 s.
    expect(tookMs).toBeLessThan(12_000);
  },
  testTimeoutMs,
);

it(
  'a SIGTERM at the moment of readiness stops the process in order',
  async () => {
    // A reader of that line may send the signal before the next statement runs.
    const signalOnReady = `
      const { write } = process.stdout;
      process.stdout.write = (line, ...rest) => {
        if (line.includes('is ready at')) process.kill(process.pid, 'SIGTERM');
        return write.call(process.stdout, line, ...rest);
      };`;
    const processes = () =>
      installation.db('encryption_key_users').whereRaw(`seen_at > now() - interval '90 seconds'`).pluck<string[]>('process');
    const before = await processes();
    await using service = await installation.start({
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(signalOnReady)}` },
    });
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect((await processes()).filter((process) => !before.includes(process))).toEqual([]);
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'a SIGTERM during the start stops the process and its servers, and the next start succeeds (round %i)',
  async () => {
    const embedded = await createEmbeddedService();
    const service = spawnRollcall({ folder: embedded.folder, env: embedded.env });
    await until(async () => (await listProcessTree(service.pid)).length > 2);
    const { code, tookMs } = await stop(service);
    expect(code).toBe(143);
    expect(tookMs).toBeLessThan(stopWithinMs);
    const next = await embedded.start();
    expect(await stop(next)).toMatchObject({ code: 0 });
    await embedded.remove();
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'servers that hang do not delay the stop and are not left running, and no acknowledged change is lost (round %i)',
  async () => {
    const embedded = await createEmbeddedService();
    try {
      await using service = await embedded.start();
      const directory = await embedded.createDirectory(service, {});
      expect((await directory.scim('POST', '/Users', { userName: 'kept' })).status).toBe(201);
      const pids = [...service.output().matchAll(/(?:Postgres|Temporal) is ready on port \d+: process (\d+)/g)].map(([, pid]) =>
        Number(pid),
      );
      expect(pids).toHaveLength(2);
      await Promise.all(pids.map(freeze));
      const pushed = directory.scim('POST', '/Users', { userName: 'pending' }).then(
        ({ status }) => status,
        () => 'dropped',
      );
      const { code, tookMs } = await stop(service);
      expect(tookMs).toBeLessThan(stopWithinMs);
      expect(code).toBe(1);
      expect(service.output()).toContain('though not everything could be finished');
      expect([503, 'dropped']).toContain(await pushed);
      await using next = await embedded.start();
      expect((await directory.scim('GET', '/Users?filter=userName%20eq%20%22kept%22')).body.totalResults).toBe(1);
      expect(await stop(next)).toMatchObject({ code: 0 });
    } finally {
      await embedded.remove();
    }
  },
  testTimeoutMs,
);
