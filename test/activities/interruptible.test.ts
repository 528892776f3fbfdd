import { expect, it } from '@jest/globals';
import { interruptible } from '../../activities/stop-with-worker.ts';

const never = () => new Promise<never>(() => undefined);

it('returns the result of an activity, or its failure', async () => {
  const { signal } = new AbortController();
  expect(await interruptible(signal, (text: string) => Promise.resolve(text))('ada')).toEqual({ kind: 'completed', result: 'ada' });
  await expect(interruptible(signal, () => Promise.reject(new Error('away')))()).rejects.toThrow('away');
});

it('interrupts an activity that takes too long, so that the workflow runs it again', async () => {
  expect(await interruptible(new AbortController().signal, never, 10)()).toEqual({ kind: 'interrupted' });
});

it('interrupts activities when the worker stops, and begins no other', async () => {
  const stopping = new AbortController();
  const running = interruptible(stopping.signal, never)();
  stopping.abort();
  expect(await running).toEqual({ kind: 'interrupted' });
  expect(await interruptible(stopping.signal, () => Promise.resolve('late'))()).toEqual({ kind: 'interrupted' });
});
