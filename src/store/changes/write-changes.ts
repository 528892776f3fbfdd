import type { Knex } from 'knex';
import type { NewEvent } from '../../directory/event.ts';
import type { Membership, ParkedMember, RowWrites, Writes } from '../../directory/changes/snapshot.ts';
import type { Group } from '../../directory/group.ts';
import type { User } from '../../directory/user.ts';
import { newId } from '../../ids.ts';
import { toGroupColumns } from '../groups.ts';
import { toUserColumns } from '../users.ts';
import type { ReadSnapshot } from './read-snapshot.ts';
import { runParts, type Part } from './statement.ts';

interface Request {
  directoryId: string;
  snapshot: ReadSnapshot;
  writes: Writes;
}

/**
 * Writes everything in one statement, if the directory still is as it was read; says `undefined` if it is not. Taking the next
 * revision locks the directory's row. The endpoint's row is locked even if `wake` is set already: a drain that clears the flag then
 * either waits for this commit and sees its events, or was first and leaves us to wake it.
 */
export async function writeChanges(
  db: Knex | Knex.Transaction,
  { directoryId, snapshot, writes }: Request,
): Promise<{ wake: boolean } | undefined> {
  const again = snapshot.known.length > 0;
  const [row] = await runParts<{ held: boolean; turned_on: boolean; was_on: boolean }>(db, {
    name: 'write',
    parts: [
      ...userParts(writes.users),
      ...groupParts(writes.groups),
      ...membershipParts(writes.memberships),
      ...parkedParts(writes.parked),
      ...eventParts(writes.events, snapshot),
      ...(writes.events.length > 0 || again ? [wake(writes.events.length > 0)] : []),
    ],
    join: (pieces) => {
      const wakes = writes.events.length > 0 || again;
      return `with held as (
          update directories set revision = revision + 1, last_sequence = last_sequence + cast(:eventCount as int),
            user_count = user_count + cast(:usersMore as int), group_count = group_count + cast(:groupsMore as int)
          where id = :directoryId and revision = :revision returning id
        ), kept as (
          insert into mutations (directory_id, id, outcome, applied_at)
          select held.id, cast(o->>'mutationId' as uuid), o, cast(:now as timestamptz)
          from held, jsonb_array_elements(cast(:outcomes as jsonb)) o
        )${pieces.map((piece) => `, ${piece}`).join('')}
        select exists (select from held) as held,
          ${wakes ? 'exists (select from woken)' : 'false'} as turned_on,
          ${wakes ? 'coalesce((select bool_or(wake) from endpoint), false)' : 'false'} as was_on`;
    },
    bindings: {
      directoryId,
      revision: snapshot.revision,
      now: snapshot.now,
      eventCount: writes.events.length,
      usersMore: writes.users.inserted.length - writes.users.deleted.length,
      groupsMore: writes.groups.inserted.length - writes.groups.deleted.length,
      outcomes: JSON.stringify(writes.outcomes),
    },
  });
  if (!row?.held) return undefined;
  // Run again after a crash: the first run may have turned the flag on and died before it woke anybody.
  return { wake: row.turned_on || (again && row.was_on) };
}

const part = (name: string, sql: string, rows: unknown[]): Part[] =>
  rows.length === 0 ? [] : [{ name, sql, bindings: { [name]: JSON.stringify(rows) } }];

const userColumns = `id uuid, user_name text, user_name_key text, external_id text, display_name_key text, active boolean,
  first_name text, last_name text, email text, email_keys text[], resource jsonb, version bigint, created_at timestamptz, updated_at timestamptz`;

function userParts({ inserted, updated, deleted }: RowWrites<User>): Part[] {
  const written = updated.map(toUserColumns);
  return [
    ...part(
      'usersDeleted',
      `users_deleted as (delete from users using held
        where directory_id = held.id and users.id in (select cast(u as uuid) from jsonb_array_elements_text(cast(:usersDeleted as jsonb)) u))`,
      deleted,
    ),
    ...part(
      'usersInserted',
      `new_users as materialized (select held.id as directory_id, u.* from held, jsonb_to_recordset(cast(:usersInserted as jsonb)) as u(${userColumns})),
      users_inserted as (
        insert into users (directory_id, id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email, resource, version, created_at, updated_at)
        select directory_id, id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email, resource, version, created_at, updated_at
        from new_users),
      emails_inserted as (
        insert into user_emails (directory_id, user_id, value_key)
        select directory_id, id, key from new_users, unnest(email_keys) key)`,
      inserted.map(toUserColumns),
    ),
    ...part(
      'usersUpdated',
      `users_updated as (
        update users set user_name = u.user_name, user_name_key = u.user_name_key, external_id = u.external_id,
          display_name_key = u.display_name_key, active = u.active, first_name = u.first_name, last_name = u.last_name, email = u.email,
          resource = u.resource, version = u.version, updated_at = u.updated_at
        from held, jsonb_to_recordset(cast(:usersUpdated as jsonb)) as u(${userColumns})
        where users.directory_id = held.id and users.id = u.id),
      known_emails as materialized (
        select held.id as directory_id, u.id, key
        from held, jsonb_to_recordset(cast(:usersUpdated as jsonb)) as u(id uuid, email_keys text[]), unnest(u.email_keys) key),
      emails_gone as (
        delete from user_emails e using held
        where e.directory_id = held.id
          and e.user_id in (select u.id from jsonb_to_recordset(cast(:usersUpdated as jsonb)) as u(id uuid))
          and not exists (select from known_emails k where k.id = e.user_id and k.key = e.value_key)),
      emails_come as (
        insert into user_emails (directory_id, user_id, value_key)
        select directory_id, id, key from known_emails on conflict do nothing)`,
      written,
    ),
  ];
}

const groupColumns = `id uuid, display_name text, display_name_key text, external_id text, resource jsonb, version bigint,
  created_at timestamptz, updated_at timestamptz`;

const groupParts = ({ inserted, updated, deleted }: RowWrites<Group>): Part[] => [
  ...part(
    'groupsDeleted',
    `groups_deleted as (delete from groups using held
      where directory_id = held.id and groups.id in (select cast(g as uuid) from jsonb_array_elements_text(cast(:groupsDeleted as jsonb)) g))`,
    deleted,
  ),
  ...part(
    'groupsInserted',
    `groups_inserted as (
      insert into groups (directory_id, id, display_name, display_name_key, external_id, resource, version, created_at, updated_at)
      select held.id, g.* from held, jsonb_to_recordset(cast(:groupsInserted as jsonb)) as g(${groupColumns}))`,
    inserted.map(toGroupColumns),
  ),
  ...part(
    'groupsUpdated',
    `groups_updated as (
      update groups set display_name = g.display_name, display_name_key = g.display_name_key, external_id = g.external_id,
        resource = g.resource, version = g.version, updated_at = g.updated_at
      from held, jsonb_to_recordset(cast(:groupsUpdated as jsonb)) as g(${groupColumns})
      where groups.directory_id = held.id and groups.id = g.id)`,
    updated.map(toGroupColumns),
  ),
];

const membershipParts = ({ added, removed }: { added: Membership[]; removed: Membership[] }): Part[] => [
  ...part(
    'membersRemoved',
    `members_removed as (delete from group_members m using held, jsonb_to_recordset(cast(:membersRemoved as jsonb)) as r("groupId" uuid, "memberId" uuid)
      where m.directory_id = held.id and m.group_id = r."groupId" and m.member_id = r."memberId")`,
    removed.map(({ groupId, memberId }) => ({ groupId, memberId })),
  ),
  ...part(
    'membersAdded',
    `members_added as (
      insert into group_members (directory_id, group_id, member_id, kind, display)
      select held.id, a.* from held, jsonb_to_recordset(cast(:membersAdded as jsonb)) as a("groupId" uuid, "memberId" uuid, kind text, display text))`,
    added,
  ),
];

const parkedParts = ({ added, removed }: { added: ParkedMember[]; removed: ParkedMember[] }): Part[] => [
  ...part(
    'parkedRemoved',
    `parked_removed as (delete from parked_members p using held, jsonb_to_recordset(cast(:parkedRemoved as jsonb)) as r("groupId" uuid, "valueKey" text)
      where p.directory_id = held.id and p.group_id = r."groupId" and p.value_key = r."valueKey")`,
    removed.map(({ groupId, valueKey }) => ({ groupId, valueKey })),
  ),
  ...part(
    'parkedAdded',
    `parked_added as (
      insert into parked_members (directory_id, group_id, value, value_key, display)
      select held.id, a.* from held, jsonb_to_recordset(cast(:parkedAdded as jsonb)) as a("groupId" uuid, value text, "valueKey" text, display text))`,
    added,
  ),
];

/** A user that an event only names was not changed: it is written as it stands there. */
function eventParts(events: NewEvent[], { now, lastSequence }: ReadSnapshot): Part[] {
  const rows = events.map((event, index) => ({ sequence: lastSequence + 1 + index, id: newId(now.getTime()), ...event }));
  return [
    ...part(
      'events',
      `events_told as (
        insert into events (directory_id, sequence, id, type, data, occurred_at)
        select held.id, e.sequence, e.id, e.type, e.data, cast(:now as timestamptz)
        from held, jsonb_to_recordset(cast(:events as jsonb)) as e(sequence bigint, id uuid, type text, data jsonb))`,
      rows.filter((row) => 'data' in row),
    ),
    ...part(
      'memberEvents',
      `member_events_told as (
        insert into events (directory_id, sequence, id, type, data, occurred_at)
        select held.id, e.sequence, e.id, e.type, jsonb_build_object('id', u.id, 'first_name', u.first_name, 'last_name', u.last_name,
          'email', u.email, 'active', u.active, 'raw', u.resource || jsonb_build_object('id', u.id), 'group', e."group"), cast(:now as timestamptz)
        from held
          cross join jsonb_to_recordset(cast(:memberEvents as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, "group" jsonb)
          join users u on u.directory_id = held.id and u.id = e."userId")`,
      rows.filter((row) => !('data' in row)),
    ),
  ];
}

const wake = (hasEvents: boolean): Part => ({
  name: hasEvents ? 'wake' : 'look',
  sql: `endpoint as (
      select e.id, e.wake from held join webhook_endpoints e on e.directory_id = held.id for update of e
    ), woken as (
      update webhook_endpoints e set wake = true, wake_at = clock_timestamp()
      from endpoint where e.id = endpoint.id and not endpoint.wake and ${hasEvents}
      returning e.id
    )`,
});
