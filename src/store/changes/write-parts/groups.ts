import type { RowWrites } from '../../../directory/changes/snapshot.ts';
import type { Group } from '../../../directory/resources/group.ts';
import { toGroupColumns } from '../../groups/group-rows.ts';
import type { StatementPart } from '../../sql/statement-parts.ts';
import { rowsPart } from './users.ts';

const columns = `id uuid, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, version bigint,
  created_at timestamptz, updated_at timestamptz, member_count bigint`;

/** A change that adds or removes members also updates the group's row, which holds their number. */
export const groupParts = ({ inserted, updated, deleted }: RowWrites<Group>, memberGrowth: Map<string, number>): StatementPart[] => [
  ...rowsPart(
    'groupsDeleted',
    `groups_deleted as (
      delete from groups g using held where g.directory_id = held.id and g.id = any(cast(:groupsDeletedIds as uuid[])))`,
    deleted,
    { groupsDeletedIds: deleted },
  ),
  ...rowsPart(
    'groupsInserted',
    `groups_inserted as (
      insert into groups (directory_id, id, display_name, display_name_key, external_id, namesake, resource, version, created_at, updated_at,
        member_count)
      select held.id, g.* from held, jsonb_to_recordset(cast(:groupsInserted as jsonb)) as g(${columns}))`,
    inserted.map((group) => ({ ...toGroupColumns(group), member_count: memberGrowth.get(group.id) ?? 0 })),
  ),
  ...rowsPart(
    'groupsUpdated',
    `groups_updated as (
      update groups g set display_name = c.display_name, display_name_key = c.display_name_key, external_id = c.external_id,
        namesake = c.namesake, resource = c.resource, version = c.version, updated_at = c.updated_at,
        member_count = g.member_count + c.member_count
      from held, jsonb_to_recordset(cast(:groupsUpdated as jsonb)) as c(${columns})
      where g.directory_id = held.id and g.id = c.id and g.id = any(cast(:groupsUpdatedIds as uuid[])))`,
    updated.map(({ row }) => ({ ...toGroupColumns(row), member_count: memberGrowth.get(row.id) ?? 0 })),
    { groupsUpdatedIds: updated.map(({ row }) => row.id) },
  ),
];
