import type { NewEvent } from '../../../directory/event.ts';
import { newId } from '../../../ids.ts';
import type { Part } from '../statement.ts';
import { part } from './part.ts';

/** A user that an event only names was not changed: it is written as it stands there. */
export function eventParts(events: NewEvent[], { now, lastSequence }: { now: Date; lastSequence: number }): Part[] {
  const rows = events.map((event, index) => ({ sequence: lastSequence + 1 + index, id: newId(now.getTime()), ...event }));
  const named = rows.filter((row) => 'userId' in row);
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
          join users u on u.directory_id = held.id and u.id = e."userId" and u.id = any(cast(:memberEventUsers as uuid[])))`,
      named,
      { memberEventUsers: [...new Set(named.map(({ userId }) => userId))] },
    ),
  ];
}
