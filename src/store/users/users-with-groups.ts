import type { Knex } from 'knex';
import type { ResourceQuery } from '../../directory/ports.ts';
import { foldCase } from '../../scim/text.ts';
import { boundValues } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { fewGroups, type GroupOfUser } from './groups-of-users.ts';
import { weighedColumns, documentWeight, type WeighedRow } from '../resources/read-row.ts';

/** Attributes that identify one user of a directory. */
export type UserKey = 'id' | 'userName' | 'externalId';

export interface FoundUser extends WeighedRow {
  /** The key by which the user was found. */
  wanted: string;
  /** Null if they would take too much memory. */
  groups: GroupOfUser[] | null;
}

const columns: Record<UserKey, { name: string; type: 'uuid' | 'text' }> = {
  id: { name: 'id', type: 'uuid' },
  userName: { name: 'user_name_key', type: 'text' },
  externalId: { name: 'external_id', type: 'text' },
};

/**
 * Finds users by keys of the form `<directory id>/<value>`. A large document, or too many groups of a user, are left out, since one call may
 * find many users.
 */
export async function readUsersWithGroups(db: Knex, by: UserKey, keys: string[]): Promise<Map<string, FoundUser>> {
  const { name, type } = columns[by];
  const pairs = keys.map((key) => [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)] as const);
  const rows = await runPrepared<FoundUser>(
    db,
    `users-with-groups-by-${by}`,
    () => `select ${weighedColumns('users')}, wanted.value as wanted, few.groups
       from unnest(array(${boundValues('directoryIds', 'uuid')}), array(${boundValues('wanted', type)})) as wanted(directory_id, value)
         cross join lateral (select * from users where directory_id = wanted.directory_id and ${name} = wanted.value offset 0) r
         ${documentWeight} ${fewGroups('r.directory_id', 'r.id')}`,
    { directoryIds: pairs.map(([directoryId]) => directoryId), wanted: pairs.map(([, value]) => value) },
  );
  return new Map(rows.map((row) => [`${row.directory_id}/${row.wanted}`, row]));
}

/**
 * Returns the key if a filter is just `userName eq "…"` or `externalId eq "…"`. Identity providers send these before each change, so they
 * are served by a prepared statement.
 */
export function toExactMatch({ filter, page }: ResourceQuery): { by: UserKey; value: string } | undefined {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return undefined;
  if (!('offset' in page) || page.offset !== 0 || page.limit === 0) return undefined;
  const { extension, attribute, sub } = filter.path;
  if (extension !== undefined || sub !== undefined) return undefined;
  if (attribute === 'userName') return { by: 'userName', value: foldCase(filter.value) };
  if (attribute === 'externalId') return { by: 'externalId', value: filter.value };
  return undefined;
}
