import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { expectInOrder, expectStored, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { freeze } from '../support/process-tree.ts';
import { unexplainedLines, missingIn, type RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { outages } from '../support/outages.ts';
import { startWriters, type Writers } from '../support/writers.ts';

const testTimeoutMs = 240_000;
const outageMs = 15_000;
/** The process ends itself 15 s after the signal at the latest. The rest is for a busy machine. */
const drainMs = 20_000;

let folder: TemporaryFolder;
let postgres: EmbeddedPostgres;
let installation: Installation;
let parts: RunningRollcall[];
let receiver: Receiver;

const startOwnPostgres = (port?: number) =>
  startPostgres({ dataDir: folder.at('postgres'), password: 'test', ...(port !== undefined && { port }) });

beforeAll(async () => {
  folder = await temporaryFolder();
  [postgres, receiver] = await Promise.all([startOwnPostgres(), startReceiver()]);
  installation = await createInstallation({ databaseUrl: postgres.url, env: { SCIM_TIMEOUT_MS: '2000' } });
  parts = await Promise.all([installation.start({ command: ['api'] }), installation.start({ command: ['worker'], env: { PORT: '0' } })]);
}, testTimeoutMs);

afterAll(async () => {
  await Promise.all((parts ?? []).map((part) => part.kill()));
  await postgres?.kill();
  await installation?.remove();
  await receiver?.close();
  await folder?.[Symbol.asyncDispose]();
});

it.each(
  outages({
    server: () => postgres,
    startAgain: async () => {
      postgres = await startOwnPostgres(postgres.port);
    },
  }),
)(
  'keeps what it acknowledged, in order, when Postgres $how for 15 s under load',
  async ({ takeDown }) => {
    const directories = await Promise.all([1, 2].map(() => installation.createDirectory({ webhook_url: receiver.url })));
    const writers = startWriters(directories);
    await until(() => writers.acknowledged.length > 50);

    const bringBack = await takeDown();
    const downSinceMs = Date.now();
    try {
      await until(() => (writers.responses['503'] ?? 0) >= 8);
      const notReady = { status: 503, missing: [expect.stringContaining('Postgres')] };
      expect(await missingIn(parts)).toEqual([notReady, notReady]);
      await until(() => Date.now() - downSinceMs >= outageMs, { timeoutMs: outageMs });
    } finally {
      await bringBack();
    }

    await untilEveryWriterIsAcknowledged(writers);
    await writers.stop();
    expect({ wrong: writers.wrong, unexplainedLines: parts.flatMap(unexplainedLines) }).toEqual({ wrong: [], unexplainedLines: [] });
    expect(writers.slowestMs).toBeLessThan(outageMs - 3_000);
    expect(Object.keys(writers.responses).filter((response) => !['201', '409', '503'].includes(response))).toEqual([]);
    for (const directory of directories) {
      const lastSequence = await untilDelivered(installation.db, directory);
      await expectStored(installation.db, directory, writers.acknowledged);
      expectInOrder(receivedFor(receiver, directory), directory, lastSequence);
    }
  },
  testTimeoutMs,
);

/** Each of the writers gets a user acknowledged, without a restart. */
async function untilEveryWriterIsAcknowledged(writers: Writers) {
  const before = writers.acknowledged.length;
  await until(() => new Set(writers.acknowledged.slice(before).map(({ userName }) => userName.split('-')[1])).size === 8, {
    timeoutMs: 30_000,
  });
  await until(async () => (await missingIn(parts)).every(({ status }) => status === 200));
}

it(
  'stops in time on SIGTERM while Postgres hangs',
  async () => {
    const directory = await installation.createDirectory();
    const { thaw } = await freeze(postgres.pid());
    try {
      const pushed = directory.scim('POST', '/Users', { userName: 'ada' }).then(
        ({ status }) => status,
        () => 'dropped',
      );
      await missingIn(parts);
      const signalledAtMs = performance.now();
      for (const part of parts) part.signal('SIGTERM');
      // 1 if not everything could be finished.
      const exits = await Promise.all(parts.map(({ exited }) => exited));
      expect(exits).toEqual(parts.map(() => ({ code: expect.any(Number), signal: null })));
      expect(performance.now() - signalledAtMs).toBeLessThan(drainMs);
      expect([503, 'dropped']).toContain(await pushed);
    } finally {
      await thaw();
    }
  },
  testTimeoutMs,
);
