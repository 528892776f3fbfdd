import { type NewEvent, toUserKey } from '../../../directory/event.ts';
import { newId } from '../../../ids.ts';
import { createYieldToEventLoop } from '../../../shared/yield-to-event-loop.ts';
import type { StatementPart } from '../../sql/statement-parts.ts';
import { publicIdOf } from '../../resources/public-id.ts';
import { maxEventsBytes } from '../emitted-events.ts';
import { rawOf } from '../../resources/pushed-column.ts';
import { isMany } from './resources.ts';

/** A larger user or group in membership events is stored once, as a document. A smaller one is stored in each event. */
const maxInlineBytes = 2048;

interface BindOptions {
  now: Date;
  /** The sequence of the directory's last event. */
  lastSequence: number;
  /** The total bytes of all events so far. */
  eventBytes: number;
  /** Binds each membership event as a row of its own. Otherwise many of them are bound as runs. */
  bindsRows?: boolean;
}

/** What the part that writes events depends on. */
export interface EventShape {
  isOne: boolean;
  hasWhole: boolean;
  members: 'none' | 'rows' | 'runs';
  /** Whether membership events name so many users that no condition lists them. */
  namesMany: boolean;
}

export async function toEventParts(
  events: NewEvent[],
  { returnsEvents, ...options }: BindOptions & { returnsEvents: boolean },
): Promise<StatementPart[]> {
  if (events.length === 0) return [];
  const { shape, ...values } = await bindEvents(events, options);
  return [{ ...eventPart(shape, { returnsEvents }), ...values }];
}

/**
 * Binds events. In membership events each group and user is bound once. A user that such an event only names was not changed, so it is
 * copied from its row.
 */
export async function bindEvents(
  events: NewEvent[],
  { now, lastSequence, eventBytes, bindsRows = false }: BindOptions,
): Promise<{ shape: EventShape } & Pick<StatementPart, 'bindings' | 'arrays' | 'json'>> {
  const [groups, users] = [createIndex(), createIndex()];
  const wholeRows: object[] = [];
  const runs: Run[] = [];
  let namedCount = 0;
  let sequence = lastSequence;
  const nowMs = now.getTime();
  const pause = createYieldToEventLoop();
  for (const event of events) {
    const { type, reason } = event;
    if ('data' in event) {
      sequence += 1;
      wholeRows.push({ sequence, id: newId(nowMs), type, userId: toUserKey(event), data: { ...event.data, reason } });
    } else {
      const userIds = 'userIds' in event ? event.userIds : [event.userId];
      for (let from = 0; from < userIds.length; from += maxRunLength) {
        const some = userIds.length > maxRunLength ? userIds.slice(from, from + maxRunLength) : userIds;
        const [first, last] = [sequence + 1, sequence + some.length];
        const group = groups.place(event.group, { first, last });
        const user = 'user' in event ? users.place(event.user, { first, last }) : undefined;
        runs.push({ sequence: first, type, reason, user, group, ids: some.map(() => newId(nowMs)), userIds: some });
        sequence = last;
        namedCount += some.length;
        const pausing = pause();
        if (pausing) await pausing;
      }
    }
  }
  const hasRuns = !bindsRows && namedCount > runs.length * minRunLength;
  const shape: EventShape = {
    isOne: sequence === lastSequence + 1,
    hasWhole: wholeRows.length > 0,
    members: namedCount === 0 ? 'none' : hasRuns ? 'runs' : 'rows',
    namesMany: isMany(namedCount),
  };
  const namesUsers = shape.members !== 'none' && !shape.namesMany;
  return {
    shape,
    bindings: { eventBytes },
    arrays: namesUsers ? { memberEventUsers: [...new Set(runs.flatMap(({ user, userIds }) => (user === undefined ? userIds : [])))] } : {},
    json: {
      ...(shape.hasWhole && { wholeEvents: wholeRows }),
      ...(namedCount > 0 && {
        memberEvents: hasRuns ? runs : runs.flatMap(toRows),
        eventGroups: groups.items,
        eventUsers: users.items,
      }),
    },
  };
}

/** The part that writes events. With `isShared`, what is bound once for each directory is a column of `held`. */
export function eventPart(
  { isOne, hasWhole, members, namesMany }: EventShape,
  { returnsEvents = false, isShared = false }: { returnsEvents?: boolean; isShared?: boolean },
): Pick<StatementPart, 'name' | 'sql'> {
  const kinds = [
    ...(hasWhole ? [wholeEvents] : []),
    ...(members === 'none' ? [] : [memberEvents({ hasRuns: members === 'runs', namesMany })]),
  ];
  const order = `${isShared ? 'partition by directory_id ' : ''}order by sequence`;
  return {
    name: `${isOne ? 'event' : 'events'}${kinds.map(({ name }) => `-${name}`).join('')}`,
    sql: `${members === 'none' ? '' : documentsOfMemberEvents}events_emitted as (
        insert into stored_events (directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
        select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes,
          cast(:eventBytes as bigint) + ${isOne ? 'bytes' : `sum(bytes) over (${order})`}, cast(:now as timestamptz)
        from (${kinds.map(({ sql }) => sql).join(' union all ')}) e${isShared ? ' join held on held.id = e.directory_id' : ''}
        returning ${returnsEvents ? 'directory_id, id, sequence, type, data, user_document, group_document, occurred_at, bytes' : 'id'})`,
  };
}

/** Whether a document is stored once for all events that contain it. */
export const isLarge = (json: string) => `pg_column_size(${json}) > ${maxInlineBytes}`;

/** The length of the JSON text of a large value. For a small one the stored size is good enough and free. */
export const bytesOf = (json: string) =>
  `case when ${isLarge(json)} then octet_length(cast(${json} as text)) else pg_column_size(${json}) end`;

const boundDocuments = (binding: string) => `
        select held.id as directory_id, place, data, ${bytesOf('data')} as bytes,
          case when ${isLarge('data')} then keep_event_document(held.id, first, last, data) end as document
        from held, jsonb_to_recordset(cast(:${binding} as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)`;

const documentsOfMemberEvents = `event_groups as materialized (${boundDocuments('eventGroups')}
      ), event_users as materialized (${boundDocuments('eventUsers')}
      ), `;

const wholeEvents = {
  name: 'whole',
  sql: `select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
          cast(null as uuid) as group_document, ${bytesOf('e.data')} as bytes
        from held, jsonb_to_recordset(cast(:wholeEvents as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)`,
};

/** Runs of at least this average length are bound as runs. One object for each of 100,000 events would take most of the time. */
const minRunLength = 16;
/** Longer runs are divided, so that each is serialized in one go. */
const maxRunLength = 2_000;

const toRows = ({ ids, userIds, sequence, ...common }: Run) =>
  ids.map((id, index) => ({ ...common, id, userId: userIds[index], sequence: sequence + index }));

const boundRows = `jsonb_to_recordset(cast(:memberEvents as jsonb)) as e(sequence bigint, id uuid, type text, reason text, "userId" uuid, "user" int, "group" int)`;
const boundRuns = `(
            select run.sequence + one.place - 1 as sequence, one.id, run.type, run.reason, one."userId", run."user", run."group"
            from jsonb_to_recordset(cast(:memberEvents as jsonb)) as run(sequence bigint, type text, reason text, "user" int, "group" int, ids uuid[], "userIds" uuid[])
              cross join lateral unnest(run.ids, run."userIds") with ordinality as one(id, "userId", place)
          ) e`;

/** The `role` and `roles` of a profile, as `presentRoles` returns them. */
const rolesOf = (
  row: string,
  raw: string,
) => `case when ${row}.roles is not null then jsonb_build_object('role', ${row}.roles -> 0, 'roles', ${row}.roles) else case jsonb_typeof(${raw} -> 'roles')
              when 'array' then jsonb_build_object('roles', ${raw} -> 'roles')
              when 'object' then jsonb_build_object('roles', jsonb_build_array(${raw} -> 'roles'))
              when 'string' then case when ${raw} ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(${raw} ->> 'roles', ',')) end
              else '{}' end end`;

/** The profile of a row of `users`; `raw` is SQL for its document as pushed. */
export const userProfile = (row: string, raw: string): string =>
  `jsonb_build_object('id', ${publicIdOf(row)}, 'first_name', ${row}.first_name, 'last_name', ${row}.last_name, 'email', ${row}.email,
              'active', ${row}.active, 'raw', ${raw} || jsonb_build_object('id', ${publicIdOf(row)})) || ${rolesOf(row, raw)}
              || case when ${row}.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', ${row}.custom_attributes) end`;

/** The profile of a row of `groups`. */
export const groupProfile = (row: string): string =>
  `jsonb_build_object('id', ${publicIdOf(row)}, 'name', ${row}.display_name,
              'raw', ${rawOf(row)} || jsonb_build_object('id', ${publicIdOf(row)}, 'members', cast('[]' as jsonb)))`;

const memberEvents = ({ hasRuns, namesMany }: { hasRuns: boolean; namesMany: boolean }) => ({
  name: `${hasRuns ? 'runs' : 'members'}${namesMany ? '-many' : ''}`,
  sql: `select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id,
          case when ${isLarge('shown.data')} then '{}' else shown.data end
            || case when event_groups.document is null then jsonb_build_object('group', event_groups.data) else '{}' end
            || jsonb_build_object('reason', e.reason) as data,
          case when event_users.place is not null then event_users.document
            when ${isLarge('shown.data')} then keep_event_document(held.id, e.sequence, e.sequence, shown.data) end as user_document,
          event_groups.document as group_document, coalesce(event_users.bytes, ${bytesOf('shown.data')}) + event_groups.bytes as bytes
        from held
          cross join ${hasRuns ? boundRuns : boundRows}
          join event_groups on event_groups.directory_id = held.id and event_groups.place = e."group"
          left join event_users on event_users.directory_id = held.id and event_users.place = e."user"
          left join users u on u.directory_id = held.id and u.id = e."userId" ${namesMany ? '' : 'and u.id = any(cast(:memberEventUsers as uuid[]))'}
          cross join lateral (
            select coalesce(event_users.data, ${userProfile('u', 'pushed.raw')}) as data
            from (select ${rawOf('u')} as raw) pushed offset 0
          ) shown`,
});

/** SQL for the written events as one JSON list. It is null if they would be too large; the caller then reads them in batches. */
export const emittedEvents = (parts: StatementPart[]): string =>
  parts.length === 0
    ? 'null'
    : `(select json_agg(json_build_object('id', id, 'type', type, 'data', ${wholeData}, 'sequence', sequence, 'at', occurred_at) order by sequence)
         from events_emitted where (select sum(bytes) from events_emitted) <= ${maxEventsBytes})`;

export const emittedBytes = (parts: StatementPart[]): string =>
  parts.length === 0 ? '0' : 'cast((select sum(bytes) from events_emitted) as float8)';

/** A function reads the documents, since this very statement may have stored them. */
const wholeData = `case when user_document is null and group_document is null then data
  else whole_event_data(directory_id, data, user_document, group_document) end`;

/** Consecutive membership events that differ only in their user. `group` and `user` are places in the bound lists. */
interface Run extends Pick<NewEvent, 'type' | 'reason'> {
  /** The sequence of the first event. */
  sequence: number;
  user: number | undefined;
  group: number;
  ids: string[];
  userIds: string[];
}

interface Bound {
  place: number;
  data: object;
  /** The sequences of the first and the last event that refer to it. */
  first: number;
  last: number;
}

/** Collects objects and assigns each a place in the list, counted from 1. */
function createIndex() {
  const items: Bound[] = [];
  const places = new Map<object, number>();
  return {
    items,
    place(data: object, { first, last }: { first: number; last: number }): number {
      const known = places.get(data);
      if (known !== undefined) {
        items[known - 1]!.last = last;
        return known;
      }
      const place = items.length + 1;
      items.push({ place, data, first, last });
      places.set(data, place);
      return place;
    },
  };
}
