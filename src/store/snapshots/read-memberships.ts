import type { Knex } from 'knex';
import { publicIdOfMember } from '../resources/public-id.ts';

const membershipsPerPage = 5_000;

/** Only a derived key, a UUID of version 8, needs a lookup. */
const publicGroupId = `
           case when substr(cast(m.group_id as text), 15, 1) = '8'
             then (select coalesce(public_id, cast(id as text)) from groups where directory_id = m.directory_id and id = m.group_id)
             else cast(m.group_id as text) end`;

const asJson = (text: string) => `cast(to_json(${text}) as text)`;

interface MembershipPage {
  lines: string;
  count: number;
  /** Of the last one. */
  group_key: string;
  member_key: string;
}

/** Without an order of its own, an aggregate takes the rows as the subquery returns them. Its `limit` keeps it out of parallel plans. */
export async function readMemberships(
  trx: Knex,
  bindings: { directoryId: string; groupKey: string; memberKey: string },
  and: string,
): Promise<MembershipPage | undefined> {
  const { rows } = await trx.raw<{ rows: MembershipPage[] }>(
    `select string_agg(line, '') as lines, cast(count(*) as int) as count,
       (array_agg(group_key))[count(*)] as group_key, (array_agg(member_key))[count(*)] as member_key
     from (
       select m.group_id as group_key, m.member_id as member_key,
         '{"type":"membership","data":{"group_id":' || ${asJson(publicGroupId)} ||
         ',"user_id":' || ${asJson(publicIdOfMember('m'))} || '}}' || chr(10) as line
       from group_members m
       where directory_id = :directoryId and (group_id, member_id) > (cast(:groupKey as uuid), cast(:memberKey as uuid)) and kind = 'user' ${and}
       order by directory_id, group_id, member_id limit :membershipsPerPage
     ) page
     having count(*) > 0`,
    { ...bindings, membershipsPerPage },
  );
  return rows[0];
}
