import type { Knex } from 'knex';
import { countEvents } from '../../directory/event.ts';
import type { ReadSet } from '../../directory/changes/read-set.ts';
import type { Writes } from '../../directory/changes/snapshot.ts';
import type { Changed } from '../../directory/ports.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { fewGroups } from '../users/groups-of-users.ts';
import { toEvent, type EventJson } from './emitted-events.ts';
import { emittedBytes, emittedEvents, toEventParts } from './write-parts/events.ts';
import { membershipParts, pendingMemberParts } from './write-parts/members.ts';
import { beginsRecompute, recomputeParts } from './write-parts/recomputes.ts';
import { groupParts, userParts } from './write-parts/resources.ts';
import type { ReadSnapshot } from './read-snapshot.ts';
import { areUnused } from './unused-names.ts';
import { boundValues } from '../sql/look-up-rows.ts';
import { composeParts, hasRows, runStatement, type StatementPart, type Statement } from '../sql/statement-parts.ts';

export interface WriteRequest {
  directoryId: string;
  snapshot: ReadSnapshot;
  writes: Writes;
  /** Whether events wake the delivery. */
  wakes: boolean;
  /** Whether to return the written events. */
  returnsEvents: boolean;
  /** Users whose groups to return. */
  shownUsers: string[];
  /** Names that nothing must have, and that nothing must wait for. If one is used, nothing is written. */
  unused?: ReadSet | undefined;
}

/**
 * Writes everything in one statement. Returns undefined, without changes, if the directory has changed since it was read.
 * Incrementing the revision locks the directory's row. The endpoint's row is locked even if `wake` is set already: a delivery
 * that clears the flag either waits for this commit and sees its events, or has cleared the flag before, so that this change
 * wakes it. The lock is the weakest one, so that changes and attempts do not wait for each other. It conflicts only with `for
 * update`, which whoever clears the flag must acquire first.
 */
export async function writeChanges(
  db: Knex | Knex.Transaction,
  request: WriteRequest,
): Promise<(Changed & { eventBytes?: number }) | undefined> {
  const [row] = await runStatement<WrittenRow>(db, await composeWrite(request));
  if (!row) return undefined;
  const changed = toChanged(request, row);
  const { directoryId: id, returnsEvents } = request;
  if (!returnsEvents) return changed;
  const emitted = { directory: { id, ...row.directory! }, events: (row.emitted ?? []).map(toEvent) };
  return { ...changed, emitted, eventBytes: row.event_bytes! };
}

export const toChanged = (request: WriteRequest, row: WrittenRow): Changed => ({
  // A retry after a crash: the first run may have set the flag and died before it woke the delivery.
  wake: row.turned_on || (request.snapshot.knownOutcomes.length > 0 && row.was_on),
  ...(shows(request) && { groupsOfShown: row.groups_of_shown ?? {} }),
  ...(row.recompute_id && { recompute: { directoryId: request.directoryId, recomputeId: row.recompute_id } }),
});

/** Groups can be returned only if memberships do not change, because the statement does not see its own writes. */
export const shows = ({ writes: { memberships }, shownUsers }: WriteRequest): boolean =>
  shownUsers.length > 0 && memberships.added.length + memberships.removed.length === 0;

export const checksWake = ({ wakes, writes, snapshot }: WriteRequest): boolean =>
  wakes && (writes.events.length > 0 || snapshot.knownOutcomes.length > 0);

export async function composeWrite(request: WriteRequest): Promise<Statement> {
  const { directoryId, snapshot, writes, returnsEvents } = request;
  const outcomes = JSON.stringify(writes.outcomes);
  const columns = { showsUsers: shows(request), checksWake: checksWake(request) };
  const unused = request.unused && areUnused(request.unused);
  const eventParts = await toEventParts(writes.events, { ...snapshot, returnsEvents });
  const pause = createYieldToEventLoop();
  const parts: StatementPart[] = [];
  for (const compose of rowParts(writes)) {
    parts.push(...compose().filter(hasRows));
    const pausing = pause();
    if (pausing) await pausing;
  }
  parts.push(...eventParts, ...(columns.checksWake ? [wakePart] : []), ...(writes.isDerived ? [importPart] : []));
  return composeParts({
    name: `write${unused?.name ?? ''}${returnsEvents ? '-emit' : ''}${columns.showsUsers ? '-show' : ''}`,
    parts,
    join: (sqlParts) =>
      `with held as (
          update directories d set ${countersGrown} where d.id = :directoryId and ${isUnchanged}${unused?.sql ?? ''}
          returning d.id, d.tenant, d.product, d.outcome_bytes
        ), ${[outcomesKept, ...sqlParts].join(', ')}
        select ${writtenColumns({ ...columns, recomputes: parts.some(({ name }) => name === beginsRecompute) })}
          ${returnsEvents ? `, json_build_object('tenant', held.tenant, 'product', held.product) as directory, ${emittedEvents(eventParts)} as emitted, ${emittedBytes(eventParts)} as event_bytes` : ''}
        from held`,
    bindings: { directoryId, ...toBindings(request, outcomes), outcomes, ...unused?.bindings },
  });
}

/** Parts that write rows, in the order in which Postgres must run them: a name is free once its former user is deleted. */
export const rowParts = (writes: Writes): (() => StatementPart[])[] => [
  () => userParts(writes.users),
  () => groupParts(writes.groups, countMembers(writes)),
  () => membershipParts(writes.memberships),
  () => pendingMemberParts(writes.pendingMembers),
  () => recomputeParts(writes),
];

export const isUnchanged = 'd.revision = cast(:revision as bigint)';

export const countersGrown = `revision = d.revision + 1, last_sequence = d.last_sequence + cast(:eventCount as int),
            user_count = d.user_count + cast(:usersMore as int), group_count = d.group_count + cast(:groupsMore as int),
            membership_count = d.membership_count + cast(:membershipsMore as int),
            resource_bytes = d.resource_bytes + cast(:resourceBytesMore as bigint), outcome_bytes = d.outcome_bytes + cast(:outcomeBytes as int)`;

export const outcomesKept = `kept as (
          insert into mutations (directory_id, id, outcome, applied_at, total_bytes)
          select held.id, cast(o->>'mutationId' as uuid), o, cast(:now as timestamptz), held.outcome_bytes
          from held, jsonb_array_elements(cast(:outcomes as jsonb)) o
        )`;

export const writtenColumns = (columns: { checksWake: boolean; showsUsers: boolean; recomputes: boolean }): string =>
  `held.id as directory_id,
          ${columns.checksWake ? 'exists (select from woken where woken.directory_id = held.id)' : 'false'} as turned_on,
          ${columns.checksWake ? 'coalesce((select bool_or(wake) from endpoint where endpoint.directory_id = held.id), false)' : 'false'} as was_on
          ${columns.recomputes ? ', (select id from recompute_begun where recompute_begun.directory_id = held.id) as recompute_id' : ''}
          ${columns.showsUsers ? `, ${groupsOfShown} as groups_of_shown` : ''}`;

/** `outcomes` are those of the writes as JSON. */
export function toBindings(request: WriteRequest, outcomes: string) {
  const { snapshot, writes, shownUsers } = request;
  return {
    revision: snapshot.revision,
    now: snapshot.now,
    eventCount: countEvents(writes.events),
    ...growthOf(writes),
    outcomeBytes: Buffer.byteLength(outcomes) + writes.outcomes.length * outcomeRowBytes,
    ...(shows(request) && { shownUsers }),
  };
}

export const growthOf = ({ users, groups, memberships, pendingMembers, resourceBytesGrowth }: Writes) => ({
  usersMore: users.inserted.length - users.deleted.length,
  groupsMore: groups.inserted.length - groups.deleted.length,
  membershipsMore: memberships.added.length - memberships.removed.length + pendingMembers.added.length - pendingMembers.removed.length,
  resourceBytesMore: resourceBytesGrowth,
});

/** Bytes of an outcome's row with its index entries, without its JSON. */
const outcomeRowBytes = 200;

/** By how much the number of members of each group grows, including pending members. */
function countMembers({ memberships, pendingMembers }: Writes): Map<string, number> {
  const growth = new Map<string, number>();
  const count = (rows: { groupId: string }[], by: number) => {
    for (const { groupId } of rows) growth.set(groupId, (growth.get(groupId) ?? 0) + by);
  };
  count(memberships.added, 1);
  count(memberships.removed, -1);
  count(pendingMembers.added, 1);
  count(pendingMembers.removed, -1);
  return growth;
}

/** There is none if the directory has changed since it was read. */
export interface WrittenRow {
  directory_id: string;
  turned_on: boolean;
  was_on: boolean;
  directory?: { tenant: string; product: string };
  emitted?: EventJson[] | null;
  event_bytes?: number;
  recompute_id?: string | null;
  groups_of_shown?: NonNullable<Changed['groupsOfShown']> | null;
}

/** Omits users whose groups take too much memory. */
const groupsOfShown = `(
  select json_object_agg(shown.id, few.groups)
  from unnest(array(${boundValues('shownUsers', 'uuid')})) shown(id) ${fewGroups('held.id', 'shown.id')} where few.groups is not null)`;

/** To an import that follows Polis the directory is as it was: the import computes the same. */
const importPart: StatementPart = {
  name: 'import',
  sql: `import_goes_on as (
      update imported_directories i set revision = i.revision + 1 from held
      where i.directory_id = held.id and i.revision = cast(:revision as bigint)
    )`,
};

export const wakePart: StatementPart = {
  name: 'wake',
  sql: `endpoint as (
      select e.id, e.directory_id, e.wake, cast(:eventCount as int) > 0 as has_events
      from held join webhook_endpoints e on e.directory_id = held.id for key share of e
    ), woken as (
      update webhook_endpoints e set wake = true, wake_at = clock_timestamp()
      from endpoint where e.id = endpoint.id and not endpoint.wake and endpoint.has_events
      returning e.directory_id
    )`,
};
