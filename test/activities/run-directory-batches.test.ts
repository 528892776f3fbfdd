import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from '@jest/globals';
import { createRunDirectoryBatches } from '../../activities/run-directory-batches.ts';
import type { RunBatchesDeps } from '../../src/directory/batches/run-batches.ts';

/** A change that never ends. */
const deps = {
  batches: { findWork: () => Promise.resolve('inactive_users'), emitInactive: () => Promise.resolve('more') },
  wakeDelivery: () => Promise.resolve(),
} as unknown as RunBatchesDeps;

const run = (cancellationSignal: AbortSignal, turnMs: number) =>
  asyncLocalStorage.run({ cancellationSignal } as Context, () => createRunDirectoryBatches(deps, { turnMs })('directory'));

it('leaves its place to other directories after a while', async () => {
  expect(await run(new AbortController().signal, 20)).toBe('more');
});

it('continues elsewhere when its worker stops', async () => {
  const stopping = new AbortController();
  const running = run(stopping.signal, 60_000);
  stopping.abort();
  await expect(running).rejects.toMatchObject({ type: 'worker_stops' });
});
