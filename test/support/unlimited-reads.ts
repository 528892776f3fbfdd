import type { Knex } from 'knex';
import { createResponseMemory } from '../../src/store/sql/response-memory.ts';
import type { RunRead } from '../../src/store/sql/run-read.ts';

/** Reads without limits. */
const readAtOnce =
  (db: Knex): RunRead =>
  (_read, query) =>
    query(db);

/** Dependencies of a store without concurrent readers. */
export const readingFrom = (db: Knex) => ({
  db,
  runRead: readAtOnce(db),
  memory: createResponseMemory({ maxBytes: 67_108_864, timeoutMs: 8_000 }),
});
