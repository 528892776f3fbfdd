import type { Knex } from 'knex';
import type { DirectoryEvent, ToldEvents } from '../directory/event.ts';
import { storedSize } from './event-feed/rows.ts';
import { runPrepared } from './prepared.ts';

/** Of events: a group of 250 KB is in those of all its members. */
export const toldAtOnceBytes = 524_288;

/**
 * A directory's events from one sequence number to another, in their order, as many as fit; one at least, if there is any. `undefined` if it
 * is gone.
 */
export const createToldEvents =
  (db: Knex) =>
  async (directoryId: string, first: number, last: number): Promise<ToldEvents | undefined> => {
    const rows = await runPrepared<{ tenant: string; product: string; events: EventJson[] | null }>(
      db,
      'told-events',
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
           where coalesce(fitting.size_before, 0) < ${toldAtOnceBytes}
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

/** An event in JSON that Postgres made. */
export type EventJson = Omit<DirectoryEvent, 'occurredAt'> & { at: string };

export const toEvent = ({ at, ...event }: EventJson): DirectoryEvent => ({ ...event, occurredAt: new Date(at) });
