import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { createDeleteDeliveredBodies } from './delete-delivered-bodies.ts';
import { countStart, createDisable, createRecordFailure, uncountStarts } from './record-failure.ts';
import { createStopWatching, createFindStalled, createLowerWakeFlags, createGoIdle, createWakeBacklogs } from './wake-flags.ts';
import { readBody, takeLane } from './take-lane.ts';
import { createTakeTurns } from './take-turns.ts';
import { createReadEvents } from './read-events.ts';
import { createAnnounceRecovery } from './delivery-alerts.ts';
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
  ...createReadEvents(db),
  readBody: readBody(db),
  ...createTakeTurns(db, secretColumns),
  recordFailure: createRecordFailure(db, secretColumns, emitOperatorEvent),
  announceRecovery: createAnnounceRecovery(db, emitOperatorEvent),
  deleteDeliveredBodies: createDeleteDeliveredBodies(db),
  goIdle: createGoIdle(db),
  stopWatching: createStopWatching(db),
  finishReplay: createFinishReplay(db),
  findStalled: createFindStalled(db, { inBatches }),
  wakeBacklogs: createWakeBacklogs(db),
  lowerWakeFlags: createLowerWakeFlags(db),
});

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
