import type { Knex } from 'knex';
import { createResponseMemory } from '../../src/store/sql/response-memory.ts';
import type { RunRead } from '../../src/store/sql/run-read.ts';

/** Reads without limits. */
const runUnlimited =
  (db: Knex): RunRead =>
  (_read, query) =>
    query(db);

/** Dependencies of a store without concurrent readers. */
export const unlimitedReads = (db: Knex) => ({
  db,
  runRead: runUnlimited(db),
  runStaleRead: runUnlimited(db),
  memory: createResponseMemory({ maxBytes: 67_108_864, timeoutMs: 8_000 }),
});
