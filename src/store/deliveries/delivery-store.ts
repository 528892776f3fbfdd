import type { Knex } from 'knex';
import type { DeliveryStore, StoredEvent } from '../../directory/delivery/ports.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { createDeleteDeliveredBodies } from './delete-delivered-bodies.ts';
import { countStart, createDisable, createRecordFailure, uncountStarts } from './record-failure.ts';
import { createStopWatching, createFindStalled, createLowerWakeFlags, createGoIdle, createWakeBacklogs } from './wake-flags.ts';
import { readBody, takeLane } from './take-lane.ts';
import { createTakeTurns } from './take-turns.ts';
import type { EventType } from '../../directory/event.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { lockLane } from './lock-endpoint.ts';

export interface DeliveryStoreDeps {
  db: Knex;
  secretColumns: SecretColumns;
  emitOperatorEvent: EmitOperatorEvent;
  inBatches: boolean;
}

export const createDeliveryStore = ({ db, secretColumns, emitOperatorEvent, inBatches }: DeliveryStoreDeps): DeliveryStore => ({
  takeLane: takeLane(db),
  countStart: countStart(db),
  uncountStarts: uncountStarts(db),
  disable: createDisable(db, emitOperatorEvent),
  readEvents: readEvents(db),
  readBody: readBody(db),
  ...createTakeTurns(db, secretColumns),
  recordFailure: createRecordFailure(db, secretColumns, emitOperatorEvent),
  deleteDeliveredBodies: createDeleteDeliveredBodies(db),
  goIdle: createGoIdle(db),
  stopWatching: createStopWatching(db),
  finishReplay: createFinishReplay(db),
  findStalled: createFindStalled(db, { inBatches }),
  wakeBacklogs: createWakeBacklogs(db),
  lowerWakeFlags: createLowerWakeFlags(db),
});

interface EventRow {
  id: string;
  sequence: number;
  type: EventType;
  /** Null if the event is larger than the limit. */
  data: string | null;
  occurred_at: Date;
  bytes: number;
}

/** Uses the stored sizes, so that Postgres does not decompress documents that are not returned. Skips events without a body. */
export const readEvents =
  (db: Knex): DeliveryStore['readEvents'] =>
  async (directoryId, { after, upTo, limit, maxBytes }) => {
    const rows = await runPrepared<EventRow>(
      db,
      'read-events',
      () => `select weighed.sequence, weighed.size as bytes, e.id, e.type, e.data, e.occurred_at from (
           select sequence, size, sum(size) over (order by sequence) as bytes_to_here from (
             select sequence, coalesce(bytes, octet_length(cast(data as text))) as size from stored_events
             where directory_id = :directoryId and sequence > :after and sequence <= :upTo and data is not null
             order by sequence limit :limit
           ) found
         ) weighed left join lateral (
           select id, type, cast(data as text) as data, occurred_at from events
           where directory_id = :directoryId and sequence = weighed.sequence and weighed.bytes_to_here <= cast(:maxBytes as bigint) offset 0
         ) e on true
         where weighed.bytes_to_here <= cast(:maxBytes as bigint) or weighed.bytes_to_here = weighed.size order by weighed.sequence`,
      { directoryId, after, upTo, limit, maxBytes },
    );
    const events = rows.flatMap(({ data, ...row }) => (data === null ? [] : [toStoredEvent({ ...row, data })]));
    return { events, firstBytes: rows[0]?.data === null ? rows[0].bytes : undefined };
  };

const toStoredEvent = ({ occurred_at: occurredAt, ...row }: EventRow & { data: string }): StoredEvent => ({ ...row, occurredAt });

const createFinishReplay =
  (db: Knex): DeliveryStore['finishReplay'] =>
  (lane, replayId) =>
    db.transaction(async (trx) => {
      if (!(await lockLane(trx, lane))) return;
      const { directoryId, endpointId } = lane;
      const finished = await trx('webhook_replays')
        .where({ directory_id: directoryId, id: replayId, status: 'running' })
        .update({
          status: trx.raw(`case when done >= total then 'done' else 'failed' end`),
          status_reason: trx.raw(
            `case when done < total then 'Of ' || total || ' events ' || done || ' could be sent; the bodies of the others are no longer kept.' end`,
          ),
          finished_at: trx.raw('clock_timestamp()'),
        });
      if (finished === 0) return;
      // The skipped events are delivered now, so their bodies may be deleted: the cleanup starts over from the first of them.
      await trx.raw(
        `with replayed as (
         update webhook_batches b set status = 'replayed' from webhook_replays r
         where r.directory_id = :directoryId and r.id = :replayId and r.status = 'done' and b.directory_id = :directoryId and b.endpoint_id = :endpointId
           and (b.status = 'skipped' or (b.status = 'exhausted' and b.kind = 'replay'))
           and exists (select from jsonb_array_elements(r.ranges) range
             where b.from_sequence >= cast(range->>0 as bigint) and b.to_sequence <= cast(range->>1 as bigint))
         returning b.from_sequence)
         update webhook_endpoints set cleared_sequence = least(cleared_sequence, (select min(from_sequence) from replayed) - 1)
         where directory_id = :directoryId and id = :endpointId and exists (select from replayed)`,
        { directoryId, endpointId, replayId },
      );
    });
