import type { Knex } from 'knex';
import type { DeliveryStore, Lane } from '../../directory/delivery/ports.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { lockLane } from './delivery-state.ts';

/** `starts` of an endpoint counts the starts of its lane since the last concluded attempt. */
export const countStart =
  (db: Knex): DeliveryStore['countStart'] =>
  async ({ directoryId, endpointId, epoch }) =>
    (await db('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).increment('starts', 1)) > 0;

/** Applies to the current lane, whichever process holds it. */
export const uncountStarts =
  (db: Knex): DeliveryStore['uncountStarts'] =>
  async (directoryIds) => {
    await db('webhook_endpoints').whereRaw('directory_id = any(?)', [directoryIds]).where('starts', '>', 0).decrement('starts', 1);
  };

/** Locks the lane as `lockLane` does, and resets its starts: the process has survived an attempt. */
export const resetStarts = async (trx: Knex.Transaction, { directoryId, endpointId, epoch }: Lane): Promise<boolean> =>
  (await trx('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).update({ starts: 0 })) > 0;

export const createDisable =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent): DeliveryStore['disable'] =>
  (lane, reason) =>
    db.transaction(async (trx) => {
      if (!(await lockLane(trx, lane))) return false;
      const { directoryId, endpointId } = lane;
      const now = trx.raw('clock_timestamp()');
      await trx('webhook_endpoints')
        .where({ directory_id: directoryId, id: endpointId })
        // The flag stays set while nothing can be delivered, so that changes do not wake the delivery.
        .update({ status: 'disabled', status_reason: reason, starts: 0, wake: true, wake_at: now });
      await emitOperatorEvent(trx, 'dsync.webhook_disabled', directoryId, { reason });
      return true;
    });
