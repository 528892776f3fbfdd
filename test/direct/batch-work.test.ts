import { expect, it } from '@jest/globals';
import { createBatchWork } from '../../src/direct/batch-work.ts';
import { createLogger } from '../../src/logger.ts';
import { until } from '../support/until.ts';

it('waits longer and longer for a webhook, up to 30 seconds', async () => {
  const waits: number[] = [];
  const work = createBatchWork({
    runBatches: () => Promise.resolve(waits.length < 6 ? 'wait' : 'done'),
    pause: (ms) => Promise.resolve(void waits.push(ms)),
    log: createLogger('silent'),
  });
  await work.start('directory');
  await until(() => waits.length === 6);
  await work.stop();
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});
