import type { Knex } from 'knex';
import { hostedType } from '../../directory/directory.ts';

/** Lists pulled directories in the order of their ids. */
export const listHosted = (db: Knex) => (after: string, limit: number) =>
  db('directories')
    .where({ type: hostedType })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select<{ id: string; deactivated: boolean }[]>('id', 'deactivated');
