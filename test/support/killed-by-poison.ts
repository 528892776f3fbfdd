// `rollcall start` that dies by SIGKILL whenever it decides on a user whose data says poison, as one that runs out of memory does.
import { die, startWith } from './start-with.ts';

const isPoison = (value: unknown) => JSON.stringify(value).includes('poison');

await startWith((deps) => ({
  ...deps,
  changes: {
    ...deps.changes,
    change: (request, decide) =>
      deps.changes.change(request, async (snapshot) => {
        const writes = await decide(snapshot);
        return isPoison(writes.users.inserted) ? die() : writes;
      }),
  },
}));
