import type { Knex } from 'knex';
import type { Group } from '../../directory/resources/group.ts';
import { publicIdOf } from '../resources/public-id.ts';

/** `id` is the public ID. */
export type GroupOfUser = Pick<Group, 'id' | 'displayName'>;

/** Memory of a group in a response, with its URL, without its display name. */
const weightOfGroup = 300;
const weight = `${weightOfGroup} + 2 * octet_length(g.display_name)`;
/** If the groups of a user take more memory, they are read separately, after the memory was reserved. */
const maxUnreserved = 32_768;

const joined = 'group_members m join groups g on g.directory_id = m.directory_id and g.id = m.group_id';

/** A join for rows of users, as `few`. Its `groups` are null if they would take too much memory. */
export const fewGroups = (directoryId: string, userId: string): string => `cross join lateral (
    select case when coalesce(sum(weight), 0) <= ${maxUnreserved}
      then coalesce(jsonb_agg(jsonb_build_object('id', public_id, 'displayName', display_name) order by id), '[]') end as groups
    from (
      select g.id, ${publicIdOf('g')} as public_id, g.display_name, ${weight} as weight
      from ${joined} where m.directory_id = ${directoryId} and m.member_id = ${userId}
      limit ${Math.floor(maxUnreserved / weightOfGroup) + 1}
    ) of_user
  ) few`;

type Users = { id: string }[];

export async function countGroups(db: Knex, directoryId: string, users: Users): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { member_id: string; groups: number }[] }>(
    `select member_id, count(*) as groups from group_members
     where directory_id = :directoryId and member_id = any(cast(:userIds as uuid[])) group by member_id`,
    { directoryId, userIds: toIds(users) },
  );
  return new Map(rows.map((row) => [row.member_id, row.groups]));
}

/** Returns the memory in bytes that each user's groups would take. */
export async function weighGroups(db: Knex, directoryId: string, users: Users): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { member_id: string; weight: number }[] }>(
    `select m.member_id, cast(sum(${weight}) as float8) as weight
     from ${joined} where m.directory_id = :directoryId and m.member_id = any(cast(:userIds as uuid[])) group by m.member_id`,
    { directoryId, userIds: toIds(users) },
  );
  return new Map(rows.map((row) => [row.member_id, row.weight]));
}

/** Reads the groups in the order of their creation, as one JSON value per user. The driver would be slow with thousands of rows. */
export async function readGroups(db: Knex, directoryId: string, users: Users): Promise<Map<string, GroupOfUser[]>> {
  const { rows } = await db.raw<{ rows: { member_id: string; groups: GroupOfUser[] }[] }>(
    `select m.member_id, json_agg(json_build_object('id', ${publicIdOf('g')}, 'displayName', g.display_name) order by g.id) as groups
     from ${joined} where m.directory_id = :directoryId and m.member_id = any(cast(:userIds as uuid[])) group by m.member_id`,
    { directoryId, userIds: toIds(users) },
  );
  return new Map(rows.map((row) => [row.member_id, row.groups]));
}

const toIds = (users: Users) => users.map(({ id }) => id);
