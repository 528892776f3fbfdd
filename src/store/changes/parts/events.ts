import type { NewEvent } from '../../../directory/event.ts';
import { newId } from '../../../ids.ts';
import type { Part } from '../statement.ts';
import { part } from './part.ts';

/**
 * Events of members: groups and users are bound once each, however many events they are in, and a user that an event only names was
 * not changed: it is written as it stands there.
 */
export function eventParts(events: NewEvent[], { now, lastSequence }: { now: Date; lastSequence: number }): Part[] {
  const rows = events.map((event, index) => ({ sequence: lastSequence + 1 + index, id: newId(now.getTime()), ...event }));
  const [groups, users] = [createIndex(), createIndex()];
  const named = rows
    .filter((row) => 'userId' in row)
    .map(({ user, group, ...row }) => ({ ...row, user: user && users.place(user), group: groups.place(group) }));
  return [
    ...part(
      'events',
      `events_told as (
        insert into events (directory_id, sequence, id, type, data, occurred_at)
        select held.id, e.sequence, e.id, e.type, e.data, cast(:now as timestamptz)
        from held, jsonb_to_recordset(cast(:events as jsonb)) as e(sequence bigint, id uuid, type text, data jsonb) ${returning})`,
      rows.filter((row) => 'data' in row),
    ),
    ...part(
      'memberEvents',
      `event_groups as materialized (
        select place, data from jsonb_array_elements(cast(:eventGroups as jsonb)) with ordinality as g(data, place)
      ), event_users as materialized (
        select place, data from jsonb_array_elements(cast(:eventUsers as jsonb)) with ordinality as u(data, place)
      ), member_events_told as (
        insert into events (directory_id, sequence, id, type, data, occurred_at)
        select held.id, e.sequence, e.id, e.type, coalesce(event_users.data, jsonb_build_object('id', u.id, 'first_name', u.first_name,
          'last_name', u.last_name, 'email', u.email, 'active', u.active, 'raw', u.resource || jsonb_build_object('id', u.id)))
          || jsonb_build_object('group', event_groups.data), cast(:now as timestamptz)
        from held
          cross join jsonb_to_recordset(cast(:memberEvents as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, "user" int, "group" int)
          join event_groups on event_groups.place = e."group"
          left join event_users on event_users.place = e."user"
          left join users u on u.directory_id = held.id and u.id = e."userId" and u.id = any(cast(:memberEventUsers as uuid[])) ${returning})`,
      named,
      { memberEventUsers: [...new Set(named.filter(({ user }) => user === undefined).map(({ userId }) => userId))] },
      { eventGroups: JSON.stringify(groups.items), eventUsers: JSON.stringify(users.items) },
    ),
  ];
}

const returning = 'returning id, sequence, type, data, occurred_at';

/** What these parts have written, as one list. */
export const eventsTold = (parts: Part[]): string => {
  const tables = parts.flatMap(({ name }) => (name === 'events' ? ['events_told'] : name === 'memberEvents' ? ['member_events_told'] : []));
  return tables.length === 0
    ? 'null'
    : `(select json_agg(json_build_object('id', id, 'type', type, 'data', data, 'sequence', sequence, 'at', occurred_at) order by sequence)
         from (${tables.map((table) => `select * from ${table}`).join(' union all ')}) told)`;
};

/** Gives each object its place in a list, counted from 1. */
function createIndex() {
  const items: object[] = [];
  const places = new Map<object, number>();
  return {
    items,
    place(item: object): number {
      const known = places.get(item);
      if (known !== undefined) return known;
      items.push(item);
      places.set(item, items.length);
      return items.length;
    },
  };
}
