// `rollcall start` that dies by SIGKILL at the moment at which it would wake a delivery: its change is committed, and nobody told.
import { die, startWith } from './start-with.ts';

await startWith((deps) => ({ ...deps, wakeDelivery: () => die() }));
