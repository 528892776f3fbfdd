import type { RowWrites } from '../../../directory/changes/snapshot.ts';
import type { User } from '../../../directory/resources/user.ts';
import { isSameJson } from '../../../scim/json.ts';
import { toDerivedColumns, toUserColumns } from '../../users/user-rows.ts';
import type { StatementPart } from '../../sql/statement-parts.ts';
import type { Group } from '../../../directory/resources/group.ts';
import { toGroupColumns } from '../../groups/group-rows.ts';

const userColumns = `id uuid, public_id text, user_name text, user_name_key text, external_id text, display_name_key text, active boolean,
  first_name text, last_name text, email text, email_keys text[], resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz,
  custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb`;

/** What an identity provider pushes. */
export const userNames = `directory_id, id, public_id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email,
  resource, pushed, version, created_at, updated_at`;

/** What follows from that and the attribute rules of the directory. */
export const attributeNames = 'custom_attributes, lacks_required';
/** What follows from it and all rules of the directory. */
export const derivedNames = `${attributeNames}, group_roles, roles`;

export function userParts({ inserted, updated, deleted }: RowWrites<User>): StatementPart[] {
  const derived = updated.filter(isOnlyDerived);
  const changed = derived.length === 0 ? updated : updated.filter((user) => !isOnlyDerived(user));
  return [...pushedUserParts({ inserted, updated: changed, deleted }), derivedPart(derived)];
}

/** Whether nothing changed but what follows from the user. A recomputation keeps the version. */
const isOnlyDerived = ({ former, row }: RowWrites<User>['updated'][number]): boolean =>
  former.version === row.version && former.resource === row.resource && former.pushed === row.pushed && former.active === row.active;

/** Writes nothing else: of a large directory that is a few bytes instead of each document. */
const derivedPart = (updated: RowWrites<User>['updated']): StatementPart =>
  rowsPart(
    'usersDerived',
    `users_derived as (
      update users u set custom_attributes = c.custom_attributes, lacks_required = c.lacks_required, group_roles = c.group_roles, roles = c.roles
      from held, jsonb_to_recordset(cast(:usersDerived as jsonb))
        as c(id uuid, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
      where u.directory_id = held.id and u.id = c.id and u.id = any(cast(:usersDerivedIds as uuid[])))`,
    updated.map(({ row }) => ({ id: row.id, ...toDerivedColumns(row) })),
    { usersDerivedIds: updated.map(({ row }) => row.id) },
  );

const pushedUserParts = ({ inserted, updated, deleted }: RowWrites<User>): StatementPart[] => [
  rowsPart(
    'usersDeleted',
    `users_deleted as (
      delete from users u using held where u.directory_id = held.id and u.id = any(cast(:usersDeletedIds as uuid[])))`,
    deleted,
    { usersDeletedIds: deleted },
  ),
  rowsPart(
    'usersInserted',
    `new_users as materialized (
      select held.id as directory_id, u.* from held, jsonb_to_recordset(cast(:usersInserted as jsonb)) as u(${userColumns})
    ), users_inserted as (
      insert into users (${userNames}, ${derivedNames}) select ${userNames}, ${derivedNames} from new_users
    ), emails_inserted as (
      insert into user_emails (directory_id, user_id, value_key) select directory_id, id, key from new_users, unnest(email_keys) key)`,
    inserted.map(toUserColumns),
  ),
  rowsPart(
    'usersUpdated',
    `users_updated as (
      update users u set user_name = c.user_name, user_name_key = c.user_name_key, external_id = c.external_id,
        display_name_key = c.display_name_key, active = c.active, first_name = c.first_name, last_name = c.last_name, email = c.email,
        resource = c.resource, pushed = c.pushed, version = c.version, updated_at = c.updated_at,
        custom_attributes = c.custom_attributes, lacks_required = c.lacks_required, group_roles = c.group_roles, roles = c.roles
      from held, jsonb_to_recordset(cast(:usersUpdated as jsonb)) as c(${userColumns})
      where u.directory_id = held.id and u.id = c.id and u.id = any(cast(:usersUpdatedIds as uuid[])))`,
    updated.map(({ row }) => toUserColumns(row)),
    { usersUpdatedIds: updated.map(({ row }) => row.id) },
  ),
  emailsPart(updated.filter(({ former, row }) => !isSameJson(former.resource['emails'], row.resource['emails'])).map(({ row }) => row)),
];

const emailsPart = (users: User[]): StatementPart =>
  rowsPart(
    'emailsUpdated',
    `changed_emails as materialized (
      select held.id as directory_id, c.id, key
      from held, jsonb_to_recordset(cast(:emailsUpdated as jsonb)) as c(id uuid, email_keys text[]), unnest(c.email_keys) key
    ), emails_gone as (
      delete from user_emails e using held
      where e.directory_id = held.id and e.user_id = any(cast(:emailsUpdatedIds as uuid[]))
        and not exists (
          select from changed_emails c where c.directory_id = held.id and c.id = e.user_id and c.key = e.value_key)
    ), emails_come as (
      insert into user_emails (directory_id, user_id, value_key) select directory_id, id, key from changed_emails on conflict do nothing)`,
    users.map((user) => ({ id: user.id, email_keys: toUserColumns(user).email_keys })),
    { emailsUpdatedIds: users.map(({ id }) => id) },
  );

/**
 * With more rows than this, an `any(array)` condition would take quadratic time, so it is omitted. The planner then expects a hundred rows and
 * looks up each row by its key.
 */
const maxInArray = 1_000;

export const isMany = (rows: number): boolean => rows > maxInArray;

/** Returns the condition if there are few rows, and a suffix for the name of the statement if there are many. */
export const ifFew = (rows: number, condition: string): { sql: string; variant: string } =>
  isMany(rows) ? { sql: '', variant: '-many' } : { sql: `and ${condition}`, variant: '' };

/**
 * A part that writes rows. The rows are bound as one JSON value under the part's name. For updates and deletes their IDs are also bound as an
 * array, so that Postgres looks the rows up by key, whatever its statistics say.
 */
export const rowsPart = (
  name: string,
  sql: string,
  rows: unknown[],
  arrays: Record<string, string[]> = {},
  { variant = '' }: { variant?: string } = {},
): StatementPart => ({ name: `${name}${variant}`, sql, arrays, json: { [name]: rows } });

const groupColumns = `id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint,
  created_at timestamptz, updated_at timestamptz, member_count bigint`;

export const groupNames = `directory_id, id, public_id, display_name, display_name_key, external_id, namesake, resource, pushed, version, created_at,
        updated_at, member_count`;

/** A change that adds or removes members also updates the group's row, which holds their number. */
export const groupParts = ({ inserted, updated, deleted }: RowWrites<Group>, memberGrowth: Map<string, number>): StatementPart[] => [
  rowsPart(
    'groupsDeleted',
    `groups_deleted as (
      delete from groups g using held where g.directory_id = held.id and g.id = any(cast(:groupsDeletedIds as uuid[])))`,
    deleted,
    { groupsDeletedIds: deleted },
  ),
  rowsPart(
    'groupsInserted',
    `groups_inserted as (
      insert into groups (${groupNames})
      select held.id, g.* from held, jsonb_to_recordset(cast(:groupsInserted as jsonb)) as g(${groupColumns}))`,
    inserted.map((group) => ({ ...toGroupColumns(group), member_count: memberGrowth.get(group.id) ?? 0 })),
  ),
  rowsPart(
    'groupsUpdated',
    `groups_updated as (
      update groups g set display_name = c.display_name, display_name_key = c.display_name_key, external_id = c.external_id,
        namesake = c.namesake, resource = c.resource, pushed = c.pushed, version = c.version, updated_at = c.updated_at,
        member_count = g.member_count + c.member_count
      from held, jsonb_to_recordset(cast(:groupsUpdated as jsonb)) as c(${groupColumns})
      where g.directory_id = held.id and g.id = c.id and g.id = any(cast(:groupsUpdatedIds as uuid[])))`,
    updated.map(({ row }) => ({ ...toGroupColumns(row), member_count: memberGrowth.get(row.id) ?? 0 })),
    { groupsUpdatedIds: updated.map(({ row }) => row.id) },
  ),
];
