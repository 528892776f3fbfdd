import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createProgress, createStallDetector, throttleProgress } from '../../src/cli/output/progress.ts';

function createStream(isTTY: boolean) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 }) as unknown as NodeJS.WriteStream & PassThrough;
  return { stderr, said: () => `${stderr.read() ?? ''}` };
}

it('draws a bar on one line of a terminal, and clears it', () => {
  const { stderr, said } = createStream(true);
  const progress = createProgress({ env: {}, stderr });
  progress.show({ text: 'Resending', done: 1_500, total: 3_000 });
  progress.end();
  expect(said()).toBe(`\rResending ${'█'.repeat(12)}${'░'.repeat(12)} 1,500 of 3,000 (50%)\u001b[K\r\u001b[K`);
});

it('writes a line every ten seconds, and when the text changes, without a terminal', () => {
  const { stderr, said } = createStream(false);
  let nowMs = 0;
  const progress = createProgress({ env: {}, stderr }, () => nowMs);
  for (let second = 0; second < 25; second += 1) {
    nowMs = second * 1_000;
    progress.show({ text: 'Reading users:', done: second * 100 });
  }
  progress.show({ text: 'Comparing' });
  progress.end();
  expect(said()).toBe('Reading users: 0\nReading users: 1,000\nReading users: 2,000\nComparing\n');
});

it('names the unit of its figures', () => {
  const { stderr, said } = createStream(false);
  createProgress({ env: {}, stderr }).show({ text: 'Uploading', done: 1, total: 4, unit: 'kB' });
  expect(said()).toBe('Uploading 1 of 4 kB (25%)\n');
});

it('shows 100% when there is nothing to do', () => {
  const { stderr, said } = createStream(false);
  createProgress({ env: {}, stderr }).show({ text: 'Applying', done: 0, total: 0 });
  expect(said()).toBe('Applying 0 of 0 (100%)\n');
});

it.each([true, false])('ends at 100%%, however soon (terminal: %s)', (isTTY) => {
  const { stderr, said } = createStream(isTTY);
  const progress = throttleProgress(createProgress({ env: {}, stderr }));
  for (const done of [1, 2, 3, 4, 4]) progress.show({ text: 'Applying', done, total: 4 });
  const lines = said().split(/[\r\n]/);
  expect(lines.filter((line) => line.includes('(25%)'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('(50%)') || line.includes('(75%)'))).toEqual([]);
  expect(lines.findLast((line) => line !== '')).toContain('4 of 4 (100%)');
});

it('reports once that nothing has progressed for ten seconds', () => {
  let nowMs = 0;
  const isStalled = createStallDetector(() => nowMs);
  const reported: number[] = [];
  for (let second = 0; second < 60; second += 1) {
    nowMs = second * 1_000;
    if (isStalled(second < 9 ? 0 : 1)) reported.push(second);
  }
  expect(reported).toEqual([19]);
});
