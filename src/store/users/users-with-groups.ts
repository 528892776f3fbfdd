import type { Knex } from 'knex';
import { listed } from '../sql/lookup.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { fewGroups, type GroupOfUser } from './groups-of-users.ts';
import { weighedColumns, weighing, type WeighedRow } from '../resources/read-row.ts';

/** By what a directory has one user at most. */
export type WantedBy = 'id' | 'userName' | 'externalId';

export interface WantedRow extends WeighedRow {
  wanted: string;
  /** Null where they would take too much memory. */
  groups: GroupOfUser[] | null;
}

const columns: Record<WantedBy, { name: string; type: 'uuid' | 'text' }> = {
  id: { name: 'id', type: 'uuid' },
  userName: { name: 'user_name_key', type: 'text' },
  externalId: { name: 'external_id', type: 'text' },
};

/**
 * Each key is a directory, a slash, and what one of its users is wanted by. Many may be wanted at once: what is large is left out, a
 * document or the groups of a user.
 */
export async function readUsersWithGroups(db: Knex, by: WantedBy, keys: string[]): Promise<Map<string, WantedRow>> {
  const { name, type } = columns[by];
  const pairs = keys.map((key) => [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)] as const);
  const rows = await runPrepared<WantedRow>(
    db,
    `users-with-groups-by-${by}`,
    () => `select ${weighedColumns('users')}, wanted.value as wanted, few.groups
       from unnest(array(${listed('directoryIds', 'uuid')}), array(${listed('wanted', type)})) as wanted(directory_id, value)
         cross join lateral (select * from users where directory_id = wanted.directory_id and ${name} = wanted.value offset 0) r
         ${weighing} ${fewGroups('r.directory_id', 'r.id')}`,
    { directoryIds: pairs.map(([directoryId]) => directoryId), wanted: pairs.map(([, value]) => value) },
  );
  return new Map(rows.map((row) => [`${row.directory_id}/${row.wanted}`, row]));
}
