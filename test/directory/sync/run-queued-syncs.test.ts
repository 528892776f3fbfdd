import { describe, expect, it } from '@jest/globals';
import type { SyncEnd, SyncPosition } from '../../../src/directory/sync/sync-run.ts';
import { decideNext, runQueuedSyncs, type StepResult, type SyncExecutor } from '../../../src/directory/sync/run-queued-syncs.ts';

const users: SyncPosition = { phase: 'users' };
const groups: SyncPosition = { phase: 'groups' };
const message = 'Google is busy.';
const failure = (more: object = {}): StepResult => ({
  kind: 'failed',
  position: groups,
  code: 'provider_unavailable',
  message,
  ...more,
});
const hourMs = 3_600_000;

describe('what follows a step', () => {
  it('continues at the new position, and forgets failures', () => {
    const progress = { position: users, failures: { count: 7, sinceMs: 1 } };
    expect(decideNext(progress, { kind: 'advanced', position: groups }, 10)).toEqual({
      kind: 'step',
      progress: { position: groups },
      delayMs: 0,
    });
  });

  it.each([
    ['the first failure of a provider', 0, {}, 1_000],
    ['the third failure of a provider', 2, {}, 4_000],
    ['many failures', 2_000, {}, 300_000],
    ['a failure of our own servers', 0, { code: 'internal' }, 200],
    ['a provider that names a longer delay', 0, { retryAfterMs: 90_000 }, 90_000],
    ['a provider that names a shorter delay', 0, { retryAfterMs: 10 }, 1_000],
    ['a provider that names a day', 0, { retryAfterMs: 86_400_000 }, 300_000],
  ])('is a delay after %s', (_what, count, more, delayMs) => {
    const failures = count === 0 ? undefined : { count, sinceMs: 100 };
    expect(decideNext({ position: users, ...(failures && { failures }) }, failure(more), 200)).toEqual({
      kind: 'step',
      progress: { position: groups, failures: { count: count + 1, sinceMs: failures ? 100 : 200 } },
      delayMs,
    });
  });

  it.each(['provider_unavailable', 'internal'] as const)('is the end of the run after two hours of failures: %s', (code) => {
    const progress = { position: users, failures: { count: 40, sinceMs: 0 } };
    expect(decideNext(progress, failure({ code }), 2 * hourMs - 300_000).kind).toBe('step');
    expect(decideNext(progress, failure({ code }), 2 * hourMs - 299_999)).toEqual({
      kind: 'end',
      end: { state: 'failed', error: { code, message } },
    });
  });

  it('is the end of the run if the step did not end in time', () => {
    expect(decideNext({ position: users }, { kind: 'timed_out', message: 'Too slow.' }, 0)).toEqual({
      kind: 'end',
      end: { state: 'failed', error: { code: 'internal', message: 'Too slow.' } },
    });
  });
});

/** Plays these results to the state machine, and records what it asks for. */
function play(results: StepResult[], more: Partial<SyncExecutor> = {}) {
  const calls: unknown[] = [];
  const queued = ['run 1', 'run 2'];
  const executor: SyncExecutor = {
    begin: async () => queued.shift(),
    async step(runId, position) {
      calls.push([runId, position.phase]);
      return results.shift()!;
    },
    end: async (runId: string, end: SyncEnd) => void calls.push([runId, end.state]),
    clear: async () => void calls.push('clear'),
    wait: async (_runId, delayMs) => void calls.push(delayMs),
    isCanceled: () => false,
    mustLeave: () => false,
    now: () => 5,
    ...more,
  };
  return { calls, left: runQueuedSyncs(executor) };
}

const ended: StepResult = { kind: 'ended' };

it('executes the queued runs one after the other, and waits before it repeats a step', async () => {
  const { calls, left } = play([{ kind: 'advanced', position: groups }, failure(), ended, ended]);
  expect(await left).toBeUndefined();
  expect(calls).toEqual([['run 1', 'users'], ['run 1', 'groups'], 1_000, ['run 1', 'groups'], 'clear', ['run 2', 'users'], 'clear']);
});

it('takes no further step of a canceled run', async () => {
  const { calls, left } = play([ended], { isCanceled: (runId) => runId === 'run 1' });
  await left;
  expect(calls).toEqual([['run 1', 'canceled'], 'clear', ['run 2', 'users'], 'clear']);
});

it('returns a run that it must leave, with its progress', async () => {
  let steps = 0;
  const { calls, left } = play([failure()], { mustLeave: () => (steps += 1) > 1 });
  expect(await left).toEqual({ runId: 'run 1', progress: { position: groups, failures: { count: 1, sinceMs: 5 } } });
  expect(calls).toEqual([['run 1', 'users'], 1_000]);
});
