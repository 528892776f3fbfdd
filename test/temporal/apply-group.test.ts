import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type { Mutation } from '../../src/directory/mutation.ts';
import { newId } from '../../src/ids.ts';
import { createApplyGroup } from '../../src/temporal/apply-group.ts';
import { createHandover } from '../../src/temporal/handover.ts';

const large: Mutation = {
  kind: 'createUser',
  id: newId(),
  directoryId: newId(),
  resourceId: newId(),
  resource: { userName: 'ada', note: 'x'.repeat(70_000) },
};

/** A Temporal whose start fails, and what was staged. */
function start(staging: Mutation[]) {
  const rows = new Set<string>();
  const handover = createHandover();
  const client = {
    withDeadline: (_deadline: number, run: () => Promise<unknown>) => run(),
    workflow: { start: () => Promise.reject(new Error('no connection')) },
  } as unknown as Client;
  const outcomes: unknown[] = [];
  const apply = createApplyGroup({
    client,
    handover,
    staged: {
      put: ({ id, directoryId }) => {
        rows.add(id);
        return Promise.resolve({ kind: 'staged', id, directoryId });
      },
      // The workflow runs after all, and finds no row.
      drop: ({ id }) => {
        rows.delete(id);
        handover.offer([{ mutationId: id, resourceId: id }]);
        return Promise.resolve();
      },
    },
  });
  return { rows, outcomes, applied: apply(staging, (outcome) => outcomes.push(outcome)) };
}

describe('a start that fails', () => {
  it('leaves nothing staged, and an outcome that comes afterwards does not reach the caller', async () => {
    const { rows, outcomes, applied } = start([large]);
    await expect(applied).rejects.toThrow('no connection');
    expect([rows.size, outcomes]).toEqual([0, []]);
  });
});
