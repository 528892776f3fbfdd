import type { Knex } from 'knex';
import { runPrepared } from '../sql/run-prepared.ts';

/** Reads the sequence of each directory's last event. */
export async function readLastSequences(db: Knex, directoryIds: string[]): Promise<Map<string, number>> {
  const rows = await runPrepared<{ id: string; last_sequence: number }>(
    db,
    'last-sequences',
    () => 'select id, last_sequence from directories where id = any(cast(:directoryIds as uuid[]))',
    { directoryIds },
  );
  return new Map(rows.map(({ id, last_sequence: last }) => [id, last]));
}
