import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createProgress } from '../../src/cli/progress.ts';

function createStream(isTTY: boolean) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 }) as unknown as NodeJS.WriteStream & PassThrough;
  return { stderr, said: () => `${stderr.read() ?? ''}` };
}

it('draws a bar in one line of a terminal, and takes it away', () => {
  const { stderr, said } = createStream(true);
  const progress = createProgress({ env: {}, stderr });
  progress.show({ text: 'Sending again', done: 1_500, total: 3_000 });
  progress.end();
  expect(said()).toBe(`\rSending again ${'█'.repeat(12)}${'░'.repeat(12)} 1,500 of 3,000 (50 %)\u001b[K\r\u001b[K`);
});

it('says it in lines now and then where there is no terminal', () => {
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

it('reaches its end where there is nothing to do', () => {
  const { stderr, said } = createStream(false);
  createProgress({ env: {}, stderr }).show({ text: 'Applying', done: 0, total: 0 });
  expect(said()).toBe('Applying 0 of 0 (100 %)\n');
});
