// `rollcall start` that kills itself when it is about to wake the delivery of a directory that was created since: a change is committed, but
// not delivered. Other directories may have work left over.
import { createdAtMs } from '../../src/ids.ts';
import { die, startWith } from './start-with.ts';

const startedMs = Date.now();

await startWith((deps) => ({ ...deps, wakeDelivery: (id) => (createdAtMs(id) < startedMs ? deps.wakeDelivery(id) : die()) }));
