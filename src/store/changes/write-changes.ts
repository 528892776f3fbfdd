import type { Knex } from 'knex';
import { countEvents } from '../../directory/event.ts';
import type { Writes } from '../../directory/changes/snapshot.ts';
import type { Changed } from '../../directory/ports.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { fewGroups } from '../users/groups-of-users.ts';
import { toEvent, type EventJson } from './emitted-events.ts';
import { emittedEvents, toEventParts } from './write-parts/events.ts';
import { membershipParts, pendingMemberParts } from './write-parts/members.ts';
import { groupParts, userParts } from './write-parts/resources.ts';
import type { ReadSnapshot } from './read-snapshot.ts';
import { boundValues } from '../sql/look-up-rows.ts';
import { composeParts, runStatement, type StatementPart, type Statement } from '../sql/statement-parts.ts';

interface WriteRequest {
  directoryId: string;
  snapshot: ReadSnapshot;
  writes: Writes;
  /** Whether events wake the delivery. */
  wakes: boolean;
  /** Whether to return the written events. */
  returnsEvents: boolean;
  /** Users whose groups to return. */
  shownUsers: string[];
}

/**
 * Writes everything in one statement. Returns undefined, without changes, if the directory has changed since it was read. Incrementing the
 * revision locks the directory's row. The endpoint's row is locked even if `wake` is set already: a delivery that clears the flag either waits
 * for this commit and sees its events, or has cleared the flag before, so that this change wakes it.
 */
export async function writeChanges(db: Knex | Knex.Transaction, request: WriteRequest): Promise<Changed | undefined> {
  const [row] = await runStatement<WrittenRow>(db, await composeWrite(request));
  if (!row?.held) return undefined;
  const { directoryId, snapshot, returnsEvents } = request;
  return {
    // A retry after a crash: the first run may have set the flag and died before it woke the delivery.
    wake: row.turned_on || (snapshot.knownOutcomes.length > 0 && row.was_on),
    ...(returnsEvents && { emitted: { directory: { id: directoryId, ...row.directory! }, events: (row.emitted ?? []).map(toEvent) } }),
    ...(shows(request) && { groupsOfShown: row.groups_of_shown ?? {} }),
  };
}

/** Groups can be returned only if memberships do not change, because the statement does not see its own writes. */
const shows = ({ writes: { memberships }, shownUsers }: WriteRequest) =>
  shownUsers.length > 0 && memberships.added.length + memberships.removed.length === 0;

export async function composeWrite(request: WriteRequest): Promise<Statement> {
  const { directoryId, snapshot, writes, wakes, returnsEvents, shownUsers } = request;
  const checksWake = wakes && (writes.events.length > 0 || snapshot.knownOutcomes.length > 0);
  const outcomes = JSON.stringify(writes.outcomes);
  const eventParts = await toEventParts(writes.events, { ...snapshot, returnsEvents });
  const showsUsers = shows(request);
  const pause = createYieldToEventLoop();
  const parts: StatementPart[] = [];
  for (const compose of [
    () => userParts(writes.users),
    () => groupParts(writes.groups, countMembers(writes)),
    () => membershipParts(writes.memberships),
    () => pendingMemberParts(writes.pendingMembers),
  ]) {
    parts.push(...compose());
    const pausing = pause();
    if (pausing) await pausing;
  }
  parts.push(...eventParts, ...(checksWake ? [wake(writes.events.length > 0)] : []));
  return composeParts({
    name: `write${returnsEvents ? '-emit' : ''}${showsUsers ? '-show' : ''}`,
    parts,
    join: (sqlParts) =>
      `with held as (
          update directories set revision = revision + 1, last_sequence = last_sequence + cast(:eventCount as int),
            user_count = user_count + cast(:usersMore as int), group_count = group_count + cast(:groupsMore as int),
            membership_count = membership_count + cast(:membershipsMore as int), resource_bytes = resource_bytes + cast(:resourceBytesMore as bigint),
            outcome_bytes = outcome_bytes + cast(:outcomeBytes as int)
          where id = :directoryId and revision = :revision returning id, tenant, product, outcome_bytes
        ), kept as (
          insert into mutations (directory_id, id, outcome, applied_at, total_bytes)
          select held.id, cast(o->>'mutationId' as uuid), o, cast(:now as timestamptz), held.outcome_bytes
          from held, jsonb_array_elements(cast(:outcomes as jsonb)) o
        )${sqlParts.map((sql) => `, ${sql}`).join('')}
        select exists (select from held) as held,
          ${checksWake ? 'exists (select from woken)' : 'false'} as turned_on,
          ${checksWake ? 'coalesce((select bool_or(wake) from endpoint), false)' : 'false'} as was_on
          ${returnsEvents ? `, (select json_build_object('tenant', tenant, 'product', product) from held) as directory, ${emittedEvents(eventParts)} as emitted` : ''}
          ${showsUsers ? `, ${groupsOfShown} as groups_of_shown` : ''}`,
    bindings: {
      directoryId,
      revision: snapshot.revision,
      now: snapshot.now,
      eventCount: countEvents(writes.events),
      usersMore: writes.users.inserted.length - writes.users.deleted.length,
      groupsMore: writes.groups.inserted.length - writes.groups.deleted.length,
      membershipsMore:
        writes.memberships.added.length -
        writes.memberships.removed.length +
        writes.pendingMembers.added.length -
        writes.pendingMembers.removed.length,
      resourceBytesMore: writes.resourceBytesGrowth,
      outcomes,
      outcomeBytes: Buffer.byteLength(outcomes) + writes.outcomes.length * outcomeRowBytes,
      ...(showsUsers && { shownUsers }),
    },
  });
}

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

interface WrittenRow {
  held: boolean;
  turned_on: boolean;
  was_on: boolean;
  directory?: { tenant: string; product: string };
  emitted?: EventJson[] | null;
  groups_of_shown?: NonNullable<Changed['groupsOfShown']> | null;
}

/** Omits users whose groups take too much memory. */
const groupsOfShown = `(
  select json_object_agg(shown.id, few.groups)
  from unnest(array(${boundValues('shownUsers', 'uuid')})) shown(id) ${fewGroups(':directoryId', 'shown.id')} where few.groups is not null)`;

const wake = (hasEvents: boolean): StatementPart => ({
  name: hasEvents ? 'wake' : 'check-wake',
  sql: `endpoint as (
      select e.id, e.wake from held join webhook_endpoints e on e.directory_id = held.id for update of e
    ), woken as (
      update webhook_endpoints e set wake = true, wake_at = clock_timestamp()
      from endpoint where e.id = endpoint.id and not endpoint.wake and ${hasEvents}
      returning e.id
    )`,
});
