// `rollcall start` that kills itself when it is about to wake a delivery: its change is committed, but not delivered.
import { die, startWith } from './start-with.ts';

await startWith((deps) => ({ ...deps, wakeDelivery: () => die() }));
