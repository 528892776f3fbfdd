import type { Knex } from 'knex';
import type { RunRead } from '../../src/store/reads.ts';

/** Reads without limits, of which the caller's tests are not about. */
export const readAtOnce =
  (db: Knex): RunRead =>
  (_read, query) =>
    query(db);
