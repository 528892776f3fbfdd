import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { expectInOrder, expectStored, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { unexplainedLines, missingIn } from '../support/process.ts';
import { startOnOwnTemporal, type OnOwnTemporal } from '../support/own-temporal.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { outages } from '../support/outages.ts';
import { startWriters } from '../support/writers.ts';

const testTimeoutMs = 240_000;

let own: OnOwnTemporal;
let receiver: Receiver;
beforeAll(async () => {
  [own, receiver] = await Promise.all([startOnOwnTemporal({ SCIM_TIMEOUT_MS: '2000' }), startReceiver()]);
}, testTimeoutMs);
afterAll(async () => {
  await own?.stop();
  await receiver?.close();
});

it.each(outages({ server: () => own.temporal(), startAgain: () => own.startTemporalAgain() }))(
  'responds with 503, recovers by itself and loses nothing when Temporal $how',
  async ({ takeDown }) => {
    const { installation, parts } = own;
    const directories = await Promise.all([1, 2].map(() => installation.createDirectory({ webhook_url: receiver.url })));
    const writers = startWriters(directories);
    await until(() => writers.acknowledged.length > 50);

    const bringBack = await takeDown();
    try {
      await until(() => (writers.responses['503'] ?? 0) >= 16, { timeoutMs: 60_000 });
      const notReady = { status: 503, missing: [expect.stringContaining('Temporal')] };
      expect(await missingIn(parts)).toEqual([notReady, notReady]);
    } finally {
      await bringBack();
    }

    const before = writers.acknowledged.length;
    await until(() => new Set(writers.acknowledged.slice(before).map(({ userName }) => userName.split('-')[1])).size === 8, {
      timeoutMs: 30_000,
    });
    await writers.stop();
    expect({ wrong: writers.wrong, unexplainedLines: parts.flatMap(unexplainedLines) }).toEqual({ wrong: [], unexplainedLines: [] });
    expect(Object.keys(writers.responses).filter((response) => !['201', '409', '503'].includes(response))).toEqual([]);
    for (const directory of directories) {
      const lastSequence = await untilDelivered(installation.db, directory);
      await expectStored(installation.db, directory, writers.acknowledged);
      expectInOrder(receivedFor(receiver, directory), directory, lastSequence);
    }
    await until(async () => (await missingIn(parts)).every(({ status }) => status === 200));
  },
  testTimeoutMs,
);
