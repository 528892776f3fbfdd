import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { googleEnv } from '../support/hosted.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** Set CRASH_ROUNDS to poison more often. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 1);
const roundTimeoutMs = 150_000;
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

/** As a platform does: starts the service again whenever it died, also during its start, until it is as it should be. */
async function restartUntil(first: RunningRollcall, isSo: () => Promise<unknown>) {
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
      const started = await installation.start({ program, command: [] }).catch(() => undefined);
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
      .whereRaw(`outcome->'refusal'->>'status' = '500'`)
      .where({ directory_id: id })
      .pluck<unknown[]>('outcome')
  )[0];

it(
  'a change that kills its process is rejected after three starts, with a reason, and its neighbours are applied',
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      operator.received.length = 0;
      const started = await installation.start({ program, command: [] });
      const [directory, other] = [await installation.createDirectory(), await installation.createDirectory()];
      const names = Array.from({ length: 24 }, (_, index) => (index === 12 ? 'poisonous-change' : `user-${index}`));
      const pushed = names.map((userName, index) =>
        (index % 3 === 1 ? other : directory).scim('POST', '/Users', { userName }).then(
          ({ status }) => status,
          () => 'dropped',
        ),
      );
      const { service, deaths } = await restartUntil(started, () => outcomeOf(directory.id));
      expect(deaths).toBe(3);
      const answers = await Promise.all(pushed);
      expect(answers[12]).toBe('dropped');
      expect(await outcomeOf(directory.id)).toMatchObject({
        refusal: { status: 500, detail: expect.stringContaining('each of the 3 times that this change was started') },
      });
      expect((await directory.scim('POST', '/Users', { userName: 'after' })).status).toBe(201);
      expect((await other.scim('POST', '/Users', { userName: 'after' })).status).toBe(201);
      // Whatever was handed in with it has an outcome; what never was, its provider sends again.
      await until(async () => (await installation.db('mutation_starts').whereNot({ starts: 4 })).length === 0);
      const refused = await installation.db('mutations').whereRaw(`outcome->'refusal' is not null`).where({ directory_id: directory.id });
      expect(refused).toHaveLength(1);
      expect(await installation.db('users').where({ user_name: 'poisonous-change', directory_id: directory.id })).toEqual([]);
      const acknowledged = names.filter((_, index) => answers[index] === 201);
      const kept = await installation.db('users').whereIn('directory_id', [directory.id, other.id]).pluck<string[]>('user_name');
      expect(acknowledged.filter((name) => !kept.includes(name))).toEqual([]);
      expect(service.output()).toContain('a mutation was rejected');
      expect((await told('dsync.mutation_rejected', directory.id)).event.data).toMatchObject({
        id: directory.id,
        mutation_id: expect.any(String),
        reason: expect.stringContaining('3 times'),
      });
      await service.kill();
    }
  },
  rounds * roundTimeoutMs,
);

const told = (type: string, directoryId: string) =>
  until(() => operator.received.find(({ event }) => event.event === type && event.data.id === directoryId), { timeoutMs: 30_000 });
