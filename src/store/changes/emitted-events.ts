import type { Knex } from 'knex';
import type { DirectoryEvent, EmittedEvents } from '../../directory/event.ts';
import { storedSize } from '../event-feed/feed-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/** Limits the events that are read together. A group of 250 KB is part of the events of all its members. */
export const maxEventsBytes = 524_288;

/**
 * Reads a directory's events from sequence `first` to `last`, in order. Stops after the event that reaches the limit in bytes, so it returns
 * at least one event if there is any. Returns undefined if the directory is gone.
 */
export const createReadEmittedEvents =
  (db: Knex) =>
  async (directoryId: string, first: number, last: number): Promise<EmittedEvents | undefined> => {
    const rows = await runPrepared<{ tenant: string; product: string; events: EventJson[] | null }>(
      db,
      'emitted-events',
      () => `select d.tenant, d.product, (
           select json_agg(json_build_object('id', e.id, 'type', e.type, 'data', e.data, 'sequence', e.sequence, 'at', e.occurred_at) order by e.sequence)
           from (
             select sequence, sum(size) over (order by sequence rows between unbounded preceding and 1 preceding) as size_before
             from (
               select sequence, ${storedSize} as size from stored_events where directory_id = :directoryId and sequence between :first and :last
             ) sized
           ) fitting cross join lateral (
             select id, type, data, sequence, occurred_at from events where directory_id = :directoryId and sequence = fitting.sequence offset 0
           ) e
           where coalesce(fitting.size_before, 0) < ${maxEventsBytes}
         ) as events
         from directories d where d.id = :directoryId`,
      { directoryId, first, last },
    );
    const [found] = rows;
    if (!found) return undefined;
    const { tenant, product, events } = found;
    return {
      directory: { id: directoryId, tenant, product },
      events: (events ?? []).map(toEvent),
    };
  };

/** An event as Postgres serializes it. */
export type EventJson = Omit<DirectoryEvent, 'occurredAt'> & { at: string };

export const toEvent = ({ at, ...event }: EventJson): DirectoryEvent => ({ ...event, occurredAt: new Date(at) });
