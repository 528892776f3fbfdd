import type { Knex } from 'knex';

/**
 * How many users and groups are direct members of each group, by `<directory id> <group id>`. Changes maintain the number of all members, so
 * that only pending ones are counted.
 */
export async function countMembers(db: Knex, groups: { directory_id: string; id: string }[]): Promise<Map<string, number>> {
  if (groups.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { directory_id: string; id: string; count: number }[] }>(
    `select g.directory_id, g.id, g.member_count - (
         select count(*) from pending_members p where p.directory_id = g.directory_id and p.group_id = g.id
       ) as count
     from unnest(cast(:directoryIds as uuid[]), cast(:ids as uuid[])) as given(directory_id, id)
       join groups g on g.directory_id = given.directory_id and g.id = given.id`,
    { directoryIds: groups.map((group) => group.directory_id), ids: groups.map(({ id }) => id) },
  );
  return new Map(rows.map((row) => [`${row.directory_id} ${row.id}`, row.count]));
}
