import type { NewEvent } from '../../../directory/event.ts';
import { newId } from '../../../ids.ts';
import { createPause, forEachPausing } from '../../../pause.ts';
import type { Part } from '../statement.ts';
import { ifFew } from './part.ts';

/** A user or group that an event of a member shows is stored once for all events if it is larger than this, and else in each of them. */
const maxInlineBytes = 2048;

interface EventPartOptions {
  now: Date;
  /** Of the events so far, */
  lastSequence: number;
  /** and what they add up to. */
  eventBytes: number;
  tells: boolean;
}

/**
 * Events of members: groups and users are bound once each, however many events they are in, and a user that an event only names was
 * not changed: it is written as it stands there.
 */
export async function eventParts(events: NewEvent[], { now, lastSequence, eventBytes, tells }: EventPartOptions): Promise<Part[]> {
  if (events.length === 0) return [];
  const [groups, users] = [createIndex(), createIndex()];
  const whole: object[] = [];
  const named: NamedRow[] = [];
  let sequence = lastSequence;
  const pause = createPause();
  await forEachPausing(events, pause, (event) => {
    sequence += 1;
    const place = { sequence, id: newId(now.getTime()), type: event.type };
    if ('data' in event) return void whole.push({ ...place, data: event.data });
    const { userId, user, group } = event;
    named.push({ ...place, userId, user: user && users.place(user, sequence), group: groups.place(group, sequence) });
  });
  await pause();
  const few = ifFew(named, 'u.id = any(cast(:memberEventUsers as uuid[]))');
  const kinds = [...(whole.length > 0 ? [wholeEvents] : []), ...(named.length > 0 ? [memberEvents(few.sql)] : [])];
  return [
    {
      name: `${events.length === 1 ? 'event' : 'events'}${kinds.map(({ name }) => `-${name}`).join('')}${few.variant}`,
      sql: `${named.length > 0 ? documentsOfMemberEvents : ''}events_told as (
        insert into stored_events (directory_id, sequence, id, type, data, user_document, group_document, bytes, total_bytes, occurred_at)
        select directory_id, sequence, id, type, data, user_document, group_document, bytes,
          cast(:eventBytes as bigint) + ${events.length === 1 ? 'bytes' : 'sum(bytes) over (order by sequence)'}, cast(:now as timestamptz)
        from (${kinds.map(({ sql }) => sql).join(' union all ')}) new_events
        returning ${tells ? 'directory_id, id, sequence, type, data, user_document, group_document, occurred_at' : 'id'})`,
      bindings: {
        eventBytes,
        ...(named.length > 0 &&
          few.sql !== '' && {
            memberEventUsers: [...new Set(named.filter(({ user }) => user === undefined).map(({ userId }) => userId))],
          }),
      },
      json: {
        ...(whole.length > 0 && { wholeEvents: whole }),
        ...(named.length > 0 && { memberEvents: named, eventGroups: groups.items, eventUsers: users.items }),
      },
    },
  ];
}

const isLarge = (json: string) => `pg_column_size(${json}) > ${maxInlineBytes}`;

/** As JSON text where that could matter: small ones are weighed as they are stored, which costs nothing. */
const bytesOf = (json: string) => `case when ${isLarge(json)} then octet_length(cast(${json} as text)) else pg_column_size(${json}) end`;

const boundDocuments = (binding: string) => `
        select place, data, ${bytesOf('data')} as bytes,
          case when ${isLarge('data')} then keep_event_document(held.id, first, last, data) end as document
        from held, jsonb_to_recordset(cast(:${binding} as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)`;

const documentsOfMemberEvents = `event_groups as materialized (${boundDocuments('eventGroups')}
      ), event_users as materialized (${boundDocuments('eventUsers')}
      ), `;

const wholeEvents = {
  name: 'whole',
  sql: `select held.id as directory_id, e.sequence, e.id, e.type, e.data, cast(null as uuid) as user_document,
          cast(null as uuid) as group_document, ${bytesOf('e.data')} as bytes
        from held, jsonb_to_recordset(cast(:wholeEvents as jsonb)) as e(sequence bigint, id uuid, type text, data jsonb)`,
};

const memberEvents = (condition: string) => ({
  name: 'members',
  sql: `select held.id as directory_id, e.sequence, e.id, e.type,
          case when ${isLarge('shown.data')} then '{}' else shown.data end
            || case when event_groups.document is null then jsonb_build_object('group', event_groups.data) else '{}' end as data,
          case when event_users.place is not null then event_users.document
            when ${isLarge('shown.data')} then keep_event_document(held.id, e.sequence, e.sequence, shown.data) end as user_document,
          event_groups.document as group_document, coalesce(event_users.bytes, ${bytesOf('shown.data')}) + event_groups.bytes as bytes
        from held
          cross join jsonb_to_recordset(cast(:memberEvents as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, "user" int, "group" int)
          join event_groups on event_groups.place = e."group"
          left join event_users on event_users.place = e."user"
          left join users u on u.directory_id = held.id and u.id = e."userId" ${condition}
          cross join lateral (
            select coalesce(event_users.data, jsonb_build_object('id', u.id, 'first_name', u.first_name, 'last_name', u.last_name, 'email', u.email,
              'active', u.active, 'raw', u.resource || jsonb_build_object('id', u.id))) as data offset 0
          ) shown`,
});

/** What was written, as one list. */
export const eventsTold = (parts: Part[]): string =>
  parts.length === 0
    ? 'null'
    : `(select json_agg(json_build_object('id', id, 'type', type, 'data', ${wholeData}, 'sequence', sequence, 'at', occurred_at) order by sequence)
         from events_told)`;

/** Asked for by a function, since the documents may have been stored by this very statement. */
const wholeData = `case when user_document is null and group_document is null then data
  else whole_event_data(directory_id, data, user_document, group_document) end`;

/** An event of a member: the user, unless it is as it is stored, and the group at their places. */
interface NamedRow extends Pick<NewEvent, 'type'> {
  sequence: number;
  id: string;
  userId: string;
  user: number | undefined;
  group: number;
}

interface Bound {
  place: number;
  data: object;
  /** The first and the last event that show it. */
  first: number;
  last: number;
}

/** Gives each object its place in a list, counted from 1. */
function createIndex() {
  const items: Bound[] = [];
  const places = new Map<object, number>();
  return {
    items,
    place(data: object, sequence: number): number {
      const known = places.get(data);
      if (known !== undefined) {
        items[known - 1]!.last = sequence;
        return known;
      }
      const place = items.length + 1;
      items.push({ place, data, first: sequence, last: sequence });
      places.set(data, place);
      return place;
    },
  };
}
