import type { Knex } from 'knex';
import type { Changed } from '../../directory/ports.ts';
import { bindToRows, columnsOf } from '../sql/given-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { StatementPart } from '../sql/statement-parts.ts';
import { bindEvents, eventPart, type EventShape } from './write-parts/events.ts';
import {
  checksWake,
  countersGrown,
  outcomesKept,
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
 * Writes the changes of several directories in one statement. Leaves out, without changes, a directory that has changed since it was read or
 * whose row is locked, so that no directory waits for another one's. Rows are locked in the order of their ids.
 */
export async function writeTogether(db: Knex, requests: WriteRequest[]): Promise<Map<string, Changed>> {
  const bound = (await Promise.all(requests.map(bindOne))).flatMap((one) => one ?? []);
  if (bound.length === 0) return new Map();
  const parts = inOrder(bound.flatMap((one) => one.parts));
  const shape = joinShapes(bound.flatMap((one) => one.events?.shape ?? []));
  const columns = { checksWake: requests.some(checksWake), showsUsers: requests.some(shows) };
  const written = [...parts, ...(shape ? [eventPart(shape, { returnsEvents: false })] : []), ...(columns.checksWake ? [wakePart] : [])];
  const given = bound.map((one) => one.given);
  const names = new Set(given.flatMap(Object.keys));
  const name = ['write-many', ...(columns.showsUsers ? ['show'] : []), ...written.map((part) => part.name)].join('-');
  const rows = await runPrepared<WrittenRow>(db, name, () => compose(written, columns, names), { given: JSON.stringify(given) });
  const byDirectory = new Map(requests.map((request) => [request.directoryId, request]));
  return new Map(rows.map((row) => [row.directory_id, toChanged(byDirectory.get(row.directory_id)!, row)]));
}

/** Returns undefined if the directory needs a part for very many rows. */
async function bindOne(request: WriteRequest) {
  const { directoryId, snapshot, writes } = request;
  const parts = rowParts(writes).flatMap((part) => part());
  const events = writes.events.length > 0 ? await bindEvents(writes.events, { ...snapshot, bindsRows: true }) : undefined;
  if (events?.shape.namesMany || !parts.every(({ name }) => order.includes(name))) return undefined;
  const given: Record<string, unknown> = {
    directoryId,
    ...toBindings(request, JSON.stringify(writes.outcomes)),
    outcomes: writes.outcomes,
  };
  for (const { bindings, arrays, json } of [...parts, ...(events ? [events] : [])]) Object.assign(given, bindings, arrays, json);
  return { parts, events, given };
}

/** Postgres runs the parts in this order. */
const order = [
  'usersDeleted',
  'usersInserted',
  'usersUpdated',
  'emailsUpdated',
  'groupsDeleted',
  'groupsInserted',
  'groupsUpdated',
  'membersRemoved',
  'membersAdded',
  'pendingRemoved',
  'pendingAdded',
];

/** The parts that any directory needs, each once. */
function inOrder(parts: StatementPart[]): StatementPart[] {
  const byName = new Map(parts.map((part) => [part.name, part]));
  return order.flatMap((name) => byName.get(name) ?? []);
}

function joinShapes(shapes: EventShape[]): EventShape | undefined {
  if (shapes.length === 0) return undefined;
  return {
    isOne: shapes.every(({ isOne }) => isOne),
    hasWhole: shapes.some(({ hasWhole }) => hasWhole),
    members: shapes.some(({ members }) => members !== 'none') ? 'rows' : 'none',
    namesMany: false,
  };
}

function compose(parts: StatementPart[], columns: Parameters<typeof writtenColumns>[0], names: ReadonlySet<string>): string {
  const sql = [outcomesKept, ...parts.map((part) => part.sql)].join(', ');
  const types = columnsOf(`${countersGrown} ${sql} ${writtenColumns(columns)} cast(:revision as bigint)`, names);
  return `with given as materialized (
      select * from jsonb_to_recordset(cast(:given as jsonb)) as given(${types})
    ), locked as materialized (
      select d.id from given join directories d on d.id = given."directoryId" and d.revision = given.revision
      order by d.id for no key update of d skip locked
    ), held as (
      update directories d set ${bindToRows(countersGrown, names, 'given')}
      from given join locked on locked.id = given."directoryId"
      where d.id = given."directoryId"
      returning d.id, d.tenant, d.product, d.outcome_bytes, given.*
    ), ${bindToRows(sql, names, 'held')}
    select ${bindToRows(writtenColumns(columns), names, 'held')} from held`;
}
