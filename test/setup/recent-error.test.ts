import { expect, it } from '@jest/globals';
import type { DirectoryWithHealth } from '../../src/directory/directories/directories.ts';
import { findRecentError } from '../../src/directory/setup-links/progress.ts';

it.each([
  ['failed', { at: new Date(0), status: 0, detail: 'no response', request: '' }],
  ['needs_confirmation', undefined],
  ['canceled', undefined],
  ['succeeded', undefined],
])('the administrator of the customer sees the error of a run that has %s only if it has failed', (state, found) => {
  const sync = { runId: 'run', state, at: new Date(0), error: 'no response' };
  expect(findRecentError({ health: { sync } } as unknown as DirectoryWithHealth)).toEqual(found);
});
