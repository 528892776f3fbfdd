import type { Knex } from 'knex';
import type { DirectoryEvent, EmittedEvents } from '../../directory/event.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/** Reads a directory's events from sequence `first` to `last`, in order. Returns undefined if the directory is gone. */
export const createReadEmittedEvents =
  (db: Knex) =>
  async (directoryId: string, first: number, last: number): Promise<EmittedEvents | undefined> => {
    const rows = await runPrepared<{ tenant: string; product: string; events: EventJson[] | null }>(
      db,
      'told-events',
      () => `select d.tenant, d.product, (
           select json_agg(json_build_object('id', e.id, 'type', e.type, 'data', e.data, 'sequence', e.sequence, 'at', e.occurred_at) order by e.sequence)
           from events e where e.directory_id = d.id and e.sequence between :first and :last
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
