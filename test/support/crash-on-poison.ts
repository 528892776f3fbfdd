// `rollcall start` that kills itself whenever it decides on a user, sends a webhook or reads a page of a pulled directory that contains
// "poison", like a process that runs out of memory.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Decide } from '../../src/directory/changes/snapshot.ts';
import { workflowTaskTimeoutMs } from '../../src/temporal/timeouts.ts';
import { die, startWith } from './start-with.ts';

/** Several times as long as a worker may keep a workflow task, which Temporal notices. */
const slowMs = 3 * workflowTaskTimeoutMs;

const isPoison = (value: unknown, word: string) => JSON.stringify(value).includes(word);

const dyingOnPoison =
  (decide: Decide): Decide =>
  async (snapshot) => {
    const writes = await decide(snapshot);
    if (!isPoison(writes.users.inserted, 'poisonous-change')) return writes;
    if (isPoison(writes.users.inserted, 'slow-poison')) await sleep(slowMs);
    return die();
  };

await startWith((deps) => ({
  ...deps,
  changes: {
    ...deps.changes,
    change: (request, decide) => deps.changes.change(request, dyingOnPoison(decide)),
    changeTogether: (changes) =>
      deps.changes.changeTogether(changes.map(({ request, decide }) => ({ request, decide: dyingOnPoison(decide) }))),
  },
  send: (request, options) => (isPoison(request.body, 'poisonous-event') ? die() : deps.send(request, options)),
  syncs: {
    ...deps.syncs,
    stageUsers: (directoryId, runId, page) => (isPoison(page, 'poisonous-page') ? die() : deps.syncs.stageUsers(directoryId, runId, page)),
  },
}));
