import type { Knex } from 'knex';
import type { Writes } from '../../directory/changes/snapshot.ts';
import type { Changed } from '../../directory/ports.ts';
import { createYieldToEventLoop, stringifyYielding } from '../../shared/yield-to-event-loop.ts';
import { bindToRows, columnsOf } from '../sql/bind-to-rows.ts';
import { lookUpRows } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { hasRows } from '../sql/statement-parts.ts';
import { beginsRecompute } from './write-parts/recomputes.ts';
import { bindEvents, eventPart } from './write-parts/events.ts';
import {
  checksWake,
  countersGrown,
  outcomesKept,
  isUnchanged,
  rowParts,
  shows,
  toBindings,
  toChanged,
  wakePart,
  writtenColumns,
  type WriteRequest,
  type WrittenRow,
} from './write-changes.ts';

/**
 * Writes the changes of several directories in one statement. Leaves out, without changes, a directory that has changed since it was read,
 * whose row or endpoint is locked, or whose events copy more than `maxBytes` of users that were not read. So no directory waits for another
 * one's, and no deadlock can arise from the order of rows.
 */
export async function writeTogether(db: Knex, requests: WriteRequest[], { maxBytes }: { maxBytes: number }): Promise<Map<string, Changed>> {
  const bound = (await Promise.all(requests.map(bind))).flatMap((one) => one ?? []);
  if (bound.length === 0) return new Map();
  const level = levels.find(({ parts }) => bound.every(({ needed }) => needed.every((name) => parts.includes(name))))!;
  const columns = { showsUsers: requests.some(shows), checksWake: requests.some(checksWake) };
  const rows = await runPrepared<WrittenRow>(
    db,
    `write-many-${level.name}${columns.showsUsers ? '-show' : ''}${columns.checksWake ? '-wake' : ''}`,
    () => compose(level, columns),
    {
      given: await stringifyYielding(
        bound.map(({ given }) => given),
        createYieldToEventLoop(),
      ),
      maxBytes,
    },
  );
  const byDirectory = new Map(requests.map((request) => [request.directoryId, request]));
  return new Map(rows.map((row) => [row.directory_id, toChanged(byDirectory.get(row.directory_id)!, row)]));
}

interface Level {
  name: string;
  parts: string[];
}

const creates = ['usersInserted'];
const users = ['usersDeleted', ...creates, 'usersUpdated', 'emailsUpdated'];
const everything = [
  ...users,
  'groupsDeleted',
  'groupsInserted',
  'groupsUpdated',
  'membersRemoved',
  'membersAdded',
  'pendingRemoved',
  'pendingAdded',
  'members',
];
const everythingAndRoles = [...everything, beginsRecompute];
/**
 * The parts of a statement. Few combinations, because what several directories need together varies, and Postgres keeps each statement.
 * `members` stands for membership events.
 */
const levels: Level[] = [
  { name: 'creates', parts: creates },
  { name: 'users', parts: users },
  { name: 'everything', parts: everything },
  { name: 'roles', parts: everythingAndRoles },
];

/** Returns undefined if the directory needs a part for very many rows, or notes members that were not read: others would wait for them. */
async function bind(request: WriteRequest) {
  const { directoryId, snapshot, writes } = request;
  if (writes.toRecompute.membersOf.length > 0) return undefined;
  const parts = rowParts(writes)
    .flatMap((part) => part())
    .filter(hasRows);
  const events = writes.events.length > 0 ? await bindEvents(writes.events, { ...snapshot, bindsRows: true }) : undefined;
  const needed = [...parts.map(({ name }) => name), ...(events && events.shape.members !== 'none' ? ['members'] : [])];
  if (events?.shape.namesMany || !needed.every((name) => everythingAndRoles.includes(name))) return undefined;
  const given: Record<string, unknown> = {
    directoryId,
    ...toBindings(request, JSON.stringify(writes.outcomes)),
    outcomes: writes.outcomes,
  };
  for (const { bindings, arrays, json } of [...parts, ...(events ? [events] : [])]) Object.assign(given, bindings, arrays, json);
  return { needed, given };
}

const noRows: Writes = {
  users: { inserted: [], updated: [], deleted: [] },
  groups: { inserted: [], updated: [], deleted: [] },
  memberships: { added: [], removed: [] },
  pendingMembers: { added: [], removed: [] },
  events: [],
  toRecompute: { users: [], membersOf: [], everyone: false },
  recomputed: [],
  resourceBytesGrowth: 0,
  bytes: 0,
  outcomes: [],
};

/** The stored size of the users that membership events copy: they were not read, and each event takes time for its user. */
const copiedBytes = `coalesce((
        select sum(pg_column_size(found.resource) + coalesce(pg_column_size(found.pushed), 0) + coalesce(pg_column_size(found.custom_attributes), 0)
          + coalesce(pg_column_size(found.roles), 0))
        from ${lookUpRows({
          table: 'users',
          column: 'id',
          values: `select "userId" from jsonb_to_recordset(cast(:memberEvents as jsonb)) as e("userId" uuid, "user" int) where "user" is null`,
        })}), 0)`;

function compose(level: Level, columns: Omit<Parameters<typeof writtenColumns>[0], 'recomputes'>): string {
  const parts = rowParts(noRows)
    .flatMap((part) => part())
    .filter(({ name }) => level.parts.includes(name));
  const members = level.parts.includes('members') ? 'rows' : 'none';
  const events = eventPart({ isOne: false, hasWhole: true, members, namesMany: false }, { isShared: true });
  const sql = [outcomesKept, ...parts.map((part) => part.sql), events.sql, ...(columns.checksWake ? [wakePart.sql] : [])].join(', ');
  const returned = writtenColumns({ ...columns, recomputes: level.parts.includes(beginsRecompute) });
  const given = columnsOf(`${countersGrown} ${isUnchanged} ${sql} ${returned}`);
  return `with given as materialized (
      select * from jsonb_to_recordset(cast(:given as jsonb)) as given(${given.sql})
    ), locked as materialized (
      select d.id from given join directories d on d.id = given."directoryId" and ${bindToRows(isUnchanged, given.names, 'given')}
        ${columns.checksWake ? 'join webhook_endpoints e on e.directory_id = d.id' : ''}
      where ${members === 'none' ? 'true' : bindToRows(`${copiedBytes} <= :maxBytes`, given.names, 'given')}
      order by d.id for no key update of d skip locked ${columns.checksWake ? 'for key share of e skip locked' : ''}
    ), held as (
      update directories d set ${bindToRows(countersGrown, given.names, 'given')}
      from given join locked on locked.id = given."directoryId"
      where d.id = given."directoryId"
      returning d.id, d.tenant, d.product, d.outcome_bytes, given.*
    ), ${bindToRows(sql, given.names, 'held')}
    select ${bindToRows(returned, given.names, 'held')} from held`;
}
