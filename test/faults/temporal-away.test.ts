import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { findTemporal } from '../../src/embedded/find-temporal.ts';
import { startTemporal, type EmbeddedTemporal } from '../../src/embedded/temporal.ts';
import { searchAttributes } from '../../src/temporal/names.ts';
import { expectInOrder, expectKept, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { alarms, missingIn, type RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { waysAway } from '../support/ways-away.ts';
import { startWriters } from '../support/writers.ts';

const testTimeoutMs = 90_000;

let folder: TemporaryFolder;
let temporal: EmbeddedTemporal;
let installation: Installation;
let parts: RunningRollcall[];
let receiver: Receiver;

async function startOwnTemporal(port?: number) {
  const command = await findTemporal({
    binary: process.env['TEMPORAL_BINARY'],
    path: process.env['PATH'],
    root: join(import.meta.dirname, '../..'),
  });
  return startTemporal({ command, databaseFile: folder.at('temporal.db'), searchAttributes, ...(port !== undefined && { port }) });
}

beforeAll(async () => {
  folder = await temporaryFolder();
  [temporal, receiver] = await Promise.all([startOwnTemporal(), startReceiver()]);
  installation = await createInstallation({ temporalAddress: temporal.address, env: { SCIM_TIMEOUT_MS: '2000' } });
  parts = await Promise.all([installation.start({ command: ['api'] }), installation.start({ command: ['worker'], env: { PORT: '0' } })]);
}, testTimeoutMs);

afterAll(async () => {
  await Promise.all((parts ?? []).map((part) => part.kill()));
  await temporal?.kill();
  await installation?.remove();
  await receiver?.close();
  await folder?.[Symbol.asyncDispose]();
});

it.each(
  waysAway({
    server: () => temporal,
    startAgain: async () => {
      temporal = await startOwnTemporal(temporal.port);
    },
  }),
)(
  'answers 503 and recovers by itself, with nothing lost, when Temporal $how',
  async ({ takeAway }) => {
    const directories = await Promise.all([1, 2].map(() => installation.createDirectory({ webhook_url: receiver.url })));
    const writers = startWriters(directories);
    await until(() => writers.acknowledged.length > 50);

    const bringBack = await takeAway();
    try {
      await until(() => (writers.answers['503'] ?? 0) >= 16, { timeoutMs: 20_000 });
      const away = { status: 503, missing: ['Temporal does not answer.'] };
      expect(await missingIn(parts)).toEqual([away, away]);
    } finally {
      await bringBack();
    }

    const before = writers.acknowledged.length;
    await until(() => new Set(writers.acknowledged.slice(before).map(({ userName }) => userName.split('-')[1])).size === 8, {
      timeoutMs: 30_000,
    });
    await writers.stop();
    expect({ wrong: writers.wrong, alarms: parts.flatMap(alarms) }).toEqual({ wrong: [], alarms: [] });
    expect(Object.keys(writers.answers).filter((answer) => !['201', '409', '503'].includes(answer))).toEqual([]);
    for (const directory of directories) {
      const lastSequence = await untilDelivered(installation.db, directory);
      await expectKept(installation.db, directory, writers.acknowledged);
      expectInOrder(receivedFor(receiver, directory), directory, lastSequence);
    }
    await until(async () => (await missingIn(parts)).every(({ status }) => status === 200));
  },
  testTimeoutMs,
);
