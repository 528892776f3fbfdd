import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isMissed, toTable } from '../support/chaos/figures.ts';
import { runChaos } from '../support/chaos/run.ts';
import { expectInOrder, expectStored, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { everyRound } from '../support/rounds.ts';
import { chooseSeed } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { startWriters } from '../support/writers.ts';

let installation: Installation;
let receiver: Receiver;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  [installation, receiver] = await Promise.all([createInstallation(), startReceiver()]);
});
afterAll(async () => {
  for (const stop of stops) stop();
  await installation?.remove();
  await receiver?.close();
});

it.each(everyRound)(
  'keeps every acknowledged user and delivers in order while it is killed and started again three times under load (round %i)',
  async () => {
    let service = await installation.start();
    const directories = await Promise.all([1, 2].map(() => installation.createDirectory({ webhook_url: receiver.url })));
    const writers = startWriters(directories);
    for (let kills = 0; kills < 3; kills += 1) {
      const before = writers.acknowledged.length;
      await until(() => writers.acknowledged.length > before + 60, { timeoutMs: 60_000 });
      await service.kill();
      service = await installation.start();
    }
    const before = writers.acknowledged.length;
    await until(() => writers.acknowledged.length > before + 60, { timeoutMs: 60_000 });
    await writers.stop();
    expect(writers.wrong).toEqual([]);
    expect(writers.responses['dropped']).toBeGreaterThan(0);
    for (const directory of directories) {
      const lastSequence = await untilDelivered(installation.db, directory);
      await expectStored(installation.db, directory, writers.acknowledged);
      expectInOrder(receivedFor(receiver, directory), directory, lastSequence);
    }
    await service.kill();
  },
  300_000,
);

/** The short form of `npm run chaos`. */
it.each(everyRound)(
  'loses nothing, keeps the order and repeats only what it must while everything around it fails (round %i)',
  async () => {
    const ending = new AbortController();
    stops.push(() => ending.abort());
    const seed = chooseSeed();
    const lines: string[] = [];
    stops.push(() => lines.at(-1) === 'done' || console.error(lines.join('\n')));
    const figures = await runChaos({
      seconds: 8,
      seed,
      drainWithinSeconds: 100,
      // The limit of `npm run chaos` and `recovery.test.ts` is five seconds. Other tests run beside this one.
      recoveryProbes: 1,
      recoverWithinMs: 30_000,
      timeoutFactor: 3,
      say: (line) => lines.push(line),
      signal: ending.signal,
    });
    const missed = figures.filter(isMissed);
    expect(missed.length === 0 ? '' : `${lines.join('\n')}\n\n${toTable(figures)}`).toBe('');
    const valueOf = (title: string) => figures.find((figure) => figure.title === title)?.value;
    expect(valueOf('Events')).toBeGreaterThan(100);
    expect(valueOf('Webhooks acknowledged (2xx)')).toBeGreaterThan(100);
    lines.push('done');
  },
  480_000,
);
