// `rollcall start` that kills itself when a delivery of a directory that was created since reaches it, before the delivery takes its lane.
import { createdAtMs } from '../../src/ids.ts';
import { die, startWith } from './start-with.ts';

const startedMs = Date.now();

await startWith(({ deliveryLaneStarts, ...deps }) => ({
  ...deps,
  deliveryLaneStarts: {
    ...deliveryLaneStarts,
    takeLane: (id, holder) => (createdAtMs(id) < startedMs ? deliveryLaneStarts.takeLane(id, holder) : die()),
  },
}));
