import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { receivedFor, untilDelivered } from '../support/deliveries.ts';
import { createPulledDirectory, googleEnv } from '../support/pulled-directories.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { crashRounds as rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const roundTimeoutMs = 300_000;
const program = 'test/support/crash-on-poison.js';

let installation: Installation;
let operator: Receiver;
let google: FakeGoogle;
beforeAll(async () => {
  [operator, google] = await Promise.all([startReceiver(), startFakeGoogle()]);
  installation = await createInstallation({ env: { WEBHOOK_URL: operator.url, ...googleEnv(google) } });
});
afterAll(async () => {
  await installation?.remove();
  await Promise.all([operator?.close(), google?.stop()]);
});

interface RestartOptions {
  env?: Record<string, string>;
  /** Called after the first death, before the service starts again. */
  onFirstDeath?(): Promise<void>;
}

/** Starts the service again whenever it dies, like a platform, until the condition is met. */
async function restartUntil(first: RunningRollcall, isSo: () => Promise<unknown>, { env = {}, onFirstDeath }: RestartOptions = {}) {
  const state: { service: RunningRollcall; isDead: boolean; deaths: number } = { service: first, isDead: false, deaths: 0 };
  const watch = async (started: RunningRollcall) => {
    await started.exited;
    state.deaths += 1;
    state.isDead = true;
  };
  void watch(first);
  await until(
    async () => {
      if (!state.isDead) return isSo();
      if (state.deaths === 1) await onFirstDeath?.();
      const started = await installation.start({ program, command: [], env }).catch(() => undefined);
      if (started) {
        Object.assign(state, { service: started, isDead: false });
        void watch(started);
      } else state.deaths += 1;
      return false;
    },
    { timeoutMs: roundTimeoutMs - 30_000, everyMs: 50 },
  );
  return { service: state.service, deaths: state.deaths };
}

const outcomeOf = async (id: string) =>
  (
    await installation
      .db('mutations')
      .whereRaw(`outcome->'error'->>'code' = 'internal'`)
      .where({ directory_id: id })
      .pluck<{ mutationId: string }[]>('outcome')
  )[0];

/** The mutations whose first start is counted, and those with further starts. */
const countedStarts = async () => ({
  first: (await installation.db('first_mutation_starts').pluck<string[][]>('mutation_ids')).flat(),
  further: await installation.db('mutation_starts').pluck<string[]>('id'),
});

it.each([
  ['a small change', {}],
  ['a change of more than 4 KiB, which is staged,', { title: 'x'.repeat(5_000) }],
  ['a change that runs for several workflow tasks', { title: 'slow-poison' }],
])(
  '%s that kills its process is rejected after three starts, with a reason, and the other changes of its group are applied',
  async (_title, fields) => {
    for (let round = 0; round < rounds; round += 1) {
      operator.received.length = 0;
      const started = await installation.start({ program, command: [] });
      const [directory, other] = [await installation.createDirectory(), await installation.createDirectory()];
      const names = Array.from({ length: 24 }, (_, index) => (index === 12 ? 'poisonous-change' : `user-${index}`));
      const pushed = names.map((userName, index) =>
        (index % 3 === 1 ? other : directory).scim('POST', '/Users', { userName, ...fields }).then(
          ({ status }) => status,
          () => 'dropped',
        ),
      );
      let counted: Awaited<ReturnType<typeof countedStarts>> | undefined;
      const { service, deaths } = await restartUntil(started, () => outcomeOf(directory.id), {
        async onFirstDeath() {
          counted = await countedStarts();
        },
      });
      expect(deaths).toBe(3);
      const responses = await Promise.all(pushed);
      // 503 if the request timed out before the process died.
      expect(['dropped', 503]).toContain(responses[12]);
      const rejection = await outcomeOf(directory.id);
      expect(counted!.first.filter((id) => id === rejection!.mutationId)).toHaveLength(1);
      expect(counted!.further).not.toContain(rejection!.mutationId);
      expect(rejection).toMatchObject({
        error: { code: 'internal', detail: expect.stringContaining('each of the 3 times that this change was started') },
      });
      expect((await directory.scim('POST', '/Users', { userName: 'after' })).status).toBe(201);
      expect((await other.scim('POST', '/Users', { userName: 'after' })).status).toBe(201);
      // Mutations that were submitted with it have an outcome. The provider sends the others again. If a workflow task was late, a rejection is
      // made and counted once more.
      await until(async () => {
        expect(await installation.db('mutation_starts').where('starts', '<', 4)).toEqual([]);
        return true;
      });
      const rejected = await installation.db('mutations').whereRaw(`outcome->'error' is not null`).where({ directory_id: directory.id });
      expect(rejected).toHaveLength(1);
      expect(await installation.db('users').where({ user_name: 'poisonous-change', directory_id: directory.id })).toEqual([]);
      const acknowledged = names.filter((_, index) => responses[index] === 201);
      const kept = await installation.db('users').whereIn('directory_id', [directory.id, other.id]).pluck<string[]>('user_name');
      expect(acknowledged.filter((name) => !kept.includes(name))).toEqual([]);
      expect(service.output()).toContain('a mutation was rejected');
      expect((await operatorEvent('dsync.mutation_rejected', directory.id)).event.data).toMatchObject({
        id: directory.id,
        mutation_id: expect.any(String),
        reason: expect.stringContaining('3 times'),
      });
      await service.kill();
    }
  },
  rounds * roundTimeoutMs,
);

it(
  'a change that kills each process that starts it is rejected after three starts in all processes together',
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      const other = { PORT: '0' };
      const started = await Promise.all([{}, other].map((env) => installation.start({ program, command: [], env })));
      const directory = await installation.createDirectory();
      const pushed = directory.scim('POST', '/Users', { userName: 'poisonous-change' }).catch(() => undefined);
      const isRejected = () => outcomeOf(directory.id);
      const ended = await Promise.all([restartUntil(started[0]!, isRejected), restartUntil(started[1]!, isRejected, { env: other })]);
      expect(ended[0].deaths + ended[1].deaths).toBe(3);
      await pushed;
      await Promise.all(ended.map(({ service }) => service.kill()));
    }
  },
  rounds * roundTimeoutMs,
);

const operatorEvent = (type: string, directoryId: string) =>
  until(() => operator.received.find(({ event }) => event.event === type && event.data.id === directoryId), { timeoutMs: 30_000 });

const stateOf = ({ id }: { id: string }) =>
  installation
    .db('webhook_endpoints')
    .where({ directory_id: id })
    .first<{ status: string; status_reason: string | null; starts: number }>('status', 'status_reason', 'starts');

it(
  'a webhook that kills its process disables its delivery with a reason; those of other directories are delivered, and nothing is lost',
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      operator.received.length = 0;
      const receiver = await startReceiver();
      const started = await installation.start({ program, command: [] });
      const create = () => installation.createDirectory({ webhook_url: receiver.url });
      const [directory, ...others] = await Promise.all([create(), create(), create(), create(), create()]);
      const push = (to: typeof directory, userName: string) => to.scim('POST', '/Users', { userName }).catch(() => undefined);
      // In flight at the same time, so that it is suspected too.
      await Promise.all([push(directory, 'poisonous-event'), ...others.map((other) => push(other, 'other-tenant'))]);
      const { service, deaths } = await restartUntil(started, async () => (await stateOf(directory)).status === 'disabled');
      expect(deaths).toBe(4);
      expect((await installation.api('GET', `/api/v1/directory-sync/${directory.id}/delivery`)).body.data).toMatchObject({
        status: 'disabled',
        reason: expect.stringContaining('each of the last 4 times that it began this delivery'),
      });
      await operatorEvent('dsync.webhook_disabled', directory.id);
      for (const other of others) {
        expect((await other.scim('POST', '/Users', { userName: 'after' })).status).toBe(201);
        const last = await untilDelivered(installation.db, other);
        expect(new Set(receivedFor(receiver, other).map(({ event }) => event.sequence)).size).toBe(last);
        expect((await stateOf(other)).status).toBe('active');
      }
      expect((await directory.scim('POST', '/Users', { userName: 'after' })).status).toBe(201);
      expect(receivedFor(receiver, directory)).toEqual([]);
      expect(service.output()).toContain('a delivery was disabled');
      await service.kill();

      await using fixed = await installation.start();
      expect((await installation.api('POST', `/api/v1/directory-sync/${directory.id}/resume`, { from: 'backlog' })).status).toBe(200);
      await untilDelivered(installation.db, directory);
      // A process that an overloaded machine holds up may send one again, under the same ID.
      const names = new Map(receivedFor(receiver, directory).map(({ headers, event }) => [headers['webhook-id'], event.data.raw.userName]));
      expect([...names.values()]).toEqual(['poisonous-event', 'after']);
      await fixed.kill();
      await receiver.close();
    }
  },
  rounds * roundTimeoutMs,
);

it(
  'orderly stops during a delivery are not counted as crashes',
  async () => {
    const receiver = await startReceiver();
    receiver.respond = () => undefined;
    let directory: Awaited<ReturnType<Installation['createDirectory']>> | undefined;
    for (let stops = 0; stops < 6; stops += 1) {
      const service = await installation.start({ env: { WEBHOOK_TIMEOUT_MS: '10000' } });
      const before = receiver.received.length;
      directory ??= await installation.createDirectory({ webhook_url: receiver.url });
      await directory.scim('POST', '/Users', { userName: `user-${stops}` });
      await until(() => receiver.received.length > before, { timeoutMs: 60_000 });
      // An overloaded machine may let it begin twice.
      expect((await stateOf(directory)).starts).toBeGreaterThanOrEqual(1);
      service.signal('SIGTERM');
      expect(await service.exited).toEqual({ code: 0, signal: null });
      expect(await stateOf(directory)).toMatchObject({ starts: 0, status: 'active' });
    }
    await receiver.close();
  },
  roundTimeoutMs,
);

it(
  'a sync whose process dies at the same step each time fails with a reason, and is not started again by the schedule',
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      operator.received.length = 0;
      const started = await installation.start({ program, command: [] });
      google.addUser({ primaryEmail: `poisonous-page-${round}@acme.example` });
      const directory = await createPulledDirectory(installation, google);
      const runId = await directory.begin();
      const stateOfRun = async () => (await installation.db('sync_runs').where({ id: runId }).first<{ state: string }>('state')).state;
      const { service, deaths } = await restartUntil(started, async () => (await stateOfRun()) === 'failed');
      expect(deaths).toBe(4);
      expect(await directory.run(runId)).toMatchObject({
        state: 'failed',
        error: { code: 'internal', message: expect.stringContaining('each of the 4 times that it took the same step (users)') },
      });
      expect((await operatorEvent('dsync.sync_failed', directory.id)).event.data).toMatchObject({ run_id: runId });
      expect(service.output()).toContain('a sync was abandoned');

      expect((await installation.api('POST', '/api/v1/dsync/cron/sync-google')).status).toBe(200);
      const scheduled = await until(async () => {
        const [newest] = await directory.runs();
        return newest.trigger === 'cron' && newest.state === 'failed' && newest;
      });
      expect(scheduled.error.message).toContain('Start a sync by request');
      expect((await installation.api('GET', '/health/ready')).status).toBe(200);
      await service.kill();

      await using fixed = await installation.start();
      expect(await directory.sync()).toMatchObject({ state: 'succeeded' });
      await installation.api('DELETE', `/api/v1/directory-sync/${directory.id}`);
      await fixed.kill();
    }
  },
  rounds * roundTimeoutMs,
);
