import { expect, it } from '@jest/globals';
import { recoverForgottenWork, type RecoveryDeps } from '../../../src/directory/maintenance/recover-forgotten-work.ts';

it('resumes the other work, and deletes what has expired, if some work cannot be resumed', async () => {
  const done: string[] = [];
  const deps = createDeps(done, { unstartable: ['sync b', 'deletion a', 'erasure a'] });
  await expect(recoverForgottenWork(deps)).rejects.toThrow('sync b does not start');
  expect(done).toEqual(['sync a', 'sync c', 'deletion b', 'batches a', 'erasure b', 'recompute a', 'outcomes', 'sessions', 'erasures']);
});

it('asks again while it finds as much as it asked for, but not for what does not start', async () => {
  const full = Array.from({ length: 500 }, (_, index) => `${index}`);
  const asked: number[] = [];
  const findForgotten = (limit: number) => Promise.resolve(asked.push(limit) === 1 ? full : ['last']);
  const done: string[] = [];
  await recoverForgottenWork({ ...createDeps(done), syncRuns: { findForgotten } });
  expect(asked).toEqual([500, 500]);
  asked.length = 0;
  const failing = { ...createDeps(done, { unstartable: ['sync 7'] }), syncRuns: { findForgotten } };
  await expect(recoverForgottenWork(failing)).rejects.toThrow('sync 7 does not start');
  expect(asked).toEqual([500]);
});

const none = () => Promise.resolve(0);

function createDeps(done: string[], { unstartable = [] }: { unstartable?: string[] } = {}): RecoveryDeps {
  const start = (what: string) => {
    if (unstartable.includes(what)) return Promise.reject(new Error(`${what} does not start`));
    done.push(what);
    return Promise.resolve();
  };
  const drop = (what: string) => () => start(what).then(() => 0);
  return {
    changes: { deleteOldOutcomes: drop('outcomes') },
    staged: { deleteAbandoned: none },
    syncRuns: { findForgotten: () => Promise.resolve(['a', 'b', 'c']) },
    startSync: (id) => start(`sync ${id}`),
    deletions: { findUnfinished: () => Promise.resolve(['a', 'b']) },
    startDeletion: (id) => start(`deletion ${id}`),
    batches: { findUnfinished: () => Promise.resolve(['a']) },
    startBatches: (id) => start(`batches ${id}`),
    erasures: {
      findUnfinished: () => Promise.resolve(['a', 'b'].map((userId) => ({ directoryId: 'd', userId, erasureId: 'e' }))),
      dropFinished: drop('erasures'),
    },
    startErasure: ({ userId }) => start(`erasure ${userId}`),
    recomputes: { findUnfinished: () => Promise.resolve([{ directoryId: 'd', recomputeId: 'a' }]) },
    startRecompute: ({ recomputeId }) => start(`recompute ${recomputeId}`),
    trim: {
      findSurplus: () => Promise.resolve({ found: [], after: undefined }),
      countAsRead: () => Promise.resolve(false),
      dropEvents: () => Promise.resolve(false),
      dropDeliveries: () => Promise.resolve(false),
      dropOutcomes: () => Promise.resolve(false),
    },
    scimClients: { dropExpiredTokens: none },
    sessions: { dropExpired: drop('sessions') },
    setupLinks: { dropExpired: none },
    files: { deleteSome: none },
  };
}
