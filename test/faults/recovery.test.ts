import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { expectInOrder, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import type { GoogleRequest } from '../support/google/google-faults.ts';
import { createPulledDirectory, googleEnv, hold } from '../support/pulled-directories.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { RunningRollcall } from '../support/process.ts';
import { createEmbeddedService, killTree, toLine, type Recovery } from '../support/recovery.ts';
import { take } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import type { TestDirectory } from '../support/service.ts';
import { crashRounds as rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const roundTimeoutMs = 300_000;
/**
 * From readiness, or from the kill where another worker is alive. RECOVER_WITHIN_MS=5000 is the promise on a quiet machine. Without a
 * heartbeat of its own, what was in progress waits for the timeout of a webhook or a page: 30 seconds or more.
 */
const recoverWithinMs = Number(process.env['RECOVER_WITHIN_MS'] ?? 30_000);
/** The maximum, because recovery must not depend on it. */
const env = { WEBHOOK_TIMEOUT_MS: '30000' };

const receiver = useReceiver();

const push = async (directory: TestDirectory, userName: string) =>
  expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
const hang = () => void (receiver.respond = () => undefined);
const acknowledge = () => void (receiver.respond = take);
const nextWebhook = (after: number) => until(() => receiver.received.length > after, { timeoutMs: 40_000, everyMs: 5 });

async function expectAllInOrder(db: Knex, directory: TestDirectory) {
  const lastSequence = await untilDelivered(db, directory);
  expectInOrder(receivedFor(receiver, directory), directory, lastSequence);
}

/** Prints the times of all rounds, and returns the slowest recovery. */
async function slowestOf(title: string, recover: (round: number) => Promise<Recovery>): Promise<number> {
  const recoveries: Recovery[] = [];
  for (let round = 0; round < rounds; round += 1) recoveries.push(await recover(round));
  console.log(toLine(title, recoveries));
  return Math.max(...recoveries.map(({ recoveredAfterReadyMs }) => recoveredAfterReadyMs));
}

const moments: [string, (directory: TestDirectory, round: number) => Promise<void>, { pushesAfter: boolean }][] = [
  [
    'while it waits for the response to a webhook',
    async (directory, round) => {
      const before = receiver.received.length;
      hang();
      for (const copy of [1, 2]) await push(directory, `posting-${round}-${copy}`);
      await until(() => receiver.received.length > before);
      acknowledge();
    },
    { pushesAfter: false },
  ],
  [
    'while it waits for more events',
    async (directory, round) => {
      const before = receiver.received.length;
      await push(directory, `lingering-${round}`);
      await until(() => receiver.received.length > before);
    },
    { pushesAfter: true },
  ],
];

describe('one process', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await createInstallation({ env });
  });
  afterAll(() => installation.remove());

  it.each(moments)(
    'sends the first webhook within 5 s of readiness when it was killed %s',
    async (title, reach, { pushesAfter }) => {
      let service = await installation.start();
      const directory = await installation.createDirectory({ webhook_url: receiver.url });
      const slowestMs = await slowestOf(title, async (round) => {
        await reach(directory, round);
        const killedAtMs = performance.now();
        await service.kill();
        const before = receiver.received.length;
        service = await installation.start();
        const readyAtMs = performance.now();
        if (pushesAfter) await push(directory, `after-${round}`);
        await nextWebhook(before);
        return { readyAfterMs: readyAtMs - killedAtMs, recoveredAfterReadyMs: performance.now() - readyAtMs };
      });
      await expectAllInOrder(installation.db, directory);
      await service.kill();
      expect(slowestMs).toBeLessThan(recoverWithinMs);
    },
    rounds * roundTimeoutMs,
  );

  it(
    'sends the first webhook within 5 s of readiness when it was killed before it began a delivery that it had received',
    async () => {
      const slowestMs = await slowestOf('before it began a delivery that it had received', async () => {
        const dying = await installation.start({ program: 'test/support/crash-before-lane.js', command: [] });
        const directory = await installation.createDirectory({ webhook_url: receiver.url });
        void directory.scim('POST', '/Users', { userName: 'received' }).catch(() => undefined);
        await dying.exited;
        const killedAtMs = performance.now();
        const before = receiver.received.length;
        await using service = await installation.start();
        const readyAtMs = performance.now();
        await nextWebhook(before);
        const recoveredAfterReadyMs = performance.now() - readyAtMs;
        await expectAllInOrder(installation.db, directory);
        await service.kill();
        return { readyAfterMs: readyAtMs - killedAtMs, recoveredAfterReadyMs };
      });
      expect(slowestMs).toBeLessThan(recoverWithinMs);
    },
    rounds * roundTimeoutMs,
  );
});

describe('with a second worker alive', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await createInstallation({ env });
  });
  afterAll(() => installation.remove());

  it.each(moments)(
    'the first webhook comes within 5 s of the death of a process that was killed %s',
    async (title, reach, { pushesAfter }) => {
      await using api = await installation.start({ command: ['api'] });
      let worker = await startWorker();
      const directory = await installation.createDirectory({ webhook_url: receiver.url });
      const slowestMs = await slowestOf(title, async (round) => {
        await reach(directory, round);
        const survivor = await startWorker();
        const before = receiver.received.length;
        const killedAtMs = performance.now();
        await worker.kill();
        if (pushesAfter) await push(directory, `after-${round}`);
        await nextWebhook(before);
        const recoveredAfterReadyMs = performance.now() - killedAtMs;
        worker = survivor;
        return { readyAfterMs: 0, recoveredAfterReadyMs };
      });
      await expectAllInOrder(installation.db, directory);
      await worker.kill();
      await api.kill();
      expect(slowestMs).toBeLessThan(recoverWithinMs);
    },
    rounds * roundTimeoutMs,
  );

  const startWorker = () => installation.start({ command: ['worker'], env: { PORT: '0' } });
});

describe('the whole service with its embedded servers', () => {
  it.each(moments)(
    'sends the first webhook within 5 s of readiness when all of it was killed %s',
    async (title, reach, { pushesAfter }) => {
      const embedded = await createEmbeddedService(env);
      let service: RunningRollcall = await embedded.start();
      const directory = await embedded.createDirectory(service, { webhook_url: receiver.url });
      const slowestMs = await slowestOf(title, async (round) => {
        await reach(directory, round);
        const killedAtMs = performance.now();
        await killTree(service);
        const before = receiver.received.length;
        service = await embedded.start();
        const readyAtMs = performance.now();
        if (pushesAfter) await push(directory, `after-${round}`);
        await nextWebhook(before);
        return { readyAfterMs: readyAtMs - killedAtMs, recoveredAfterReadyMs: performance.now() - readyAtMs };
      });
      const db = await embedded.openDatabase(service);
      await expectAllInOrder(db, directory);
      await db.destroy();
      await killTree(service);
      await embedded.remove();
      expect(slowestMs).toBeLessThan(recoverWithinMs);
    },
    rounds * roundTimeoutMs,
  );
});

describe('a sync run', () => {
  it.each([
    ['of readiness when its process was killed', { hasSurvivor: false }],
    ['of the death of its worker while another one lives', { hasSurvivor: true }],
  ])(
    'continues within 5 s %s',
    async (title, { hasSurvivor }) => {
      const google = await startFakeGoogle();
      for (let count = 0; count < 600; count += 1) google.addUser();
      const installation = await createInstallation({ env: googleEnv(google) });
      const startWorker = () => (hasSurvivor ? installation.start({ command: ['worker'], env: { PORT: '0' } }) : installation.start());
      const api = hasSurvivor ? await installation.start({ command: ['api'] }) : undefined;
      let worker = await startWorker();
      const slowestMs = await slowestOf(`a sync run, within 5 s ${title}`, async () => {
        const directory = await createPulledDirectory(installation, google);
        const isLaterPage = (request: GoogleRequest) => directory.isRequestFor('users')(request) && request.query.has('pageToken');
        const second = hold(google, isLaterPage);
        const runId = await directory.begin();
        await second.reached();
        const survivor = hasSurvivor ? await startWorker() : undefined;
        const killedAtMs = performance.now();
        await worker.kill();
        second.release();
        const before = google.requests.filter(isLaterPage).length;
        worker = survivor ?? (await startWorker());
        const readyAtMs = survivor ? killedAtMs : performance.now();
        await until(() => google.requests.filter(isLaterPage).length > before, { timeoutMs: 40_000, everyMs: 5 });
        const recoveredAfterReadyMs = performance.now() - readyAtMs;
        expect(await directory.untilEnded(runId)).toMatchObject({ state: 'succeeded', seen: { users: 600 } });
        return { readyAfterMs: readyAtMs - killedAtMs, recoveredAfterReadyMs };
      });
      await worker.kill();
      await api?.kill();
      await installation.remove();
      await google.stop();
      expect(slowestMs).toBeLessThan(recoverWithinMs);
    },
    rounds * roundTimeoutMs,
  );
});
