import type { Knex } from 'knex';
import { pulledType } from '../../directory/directories/directory.ts';

/** Lists pulled directories in the order of their ids. */
export const listPulledDirectories = (db: Knex) => (after: string, limit: number) =>
  db('directories')
    .where({ type: pulledType })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select<{ id: string; deactivated: boolean }[]>('id', 'deactivated');
