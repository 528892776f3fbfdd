import type { Knex } from 'knex';
import type { MadeGroup } from '../groups.ts';

/** The directory's first users become members. */
export async function fillGroup(db: Knex, { group, count }: { group: MadeGroup; count: number }) {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select directory_id, :groupId, id, 'user' from users where directory_id = :directoryId order by id limit :count`,
    { groupId: group.id, directoryId: group.directory.id, count },
  );
  if (rowCount !== count) throw new Error(`The group has ${rowCount} members instead of ${count}.`);
  await db.raw('vacuum (analyze) group_members');
}
