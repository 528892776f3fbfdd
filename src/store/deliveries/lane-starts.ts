import type { Knex } from 'knex';
import type { DeliveryStore, Lane } from '../../directory/delivery/ports.ts';
import type { TellOperator } from '../operator-events.ts';
import { holdLane } from './hold-lane.ts';

/** An endpoint's `starts` are those of its lane that were counted since anything was concluded. */
export const countStart =
  (db: Knex): DeliveryStore['countStart'] =>
  async ({ directoryId, endpointId, epoch }) =>
    (await db('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).increment('starts', 1)) > 0;

/** Whoever has the lane now: a start of an earlier one counts no more either. */
export const forgiveStarts =
  (db: Knex): DeliveryStore['forgiveStarts'] =>
  async (directoryIds) => {
    await db('webhook_endpoints').whereRaw('directory_id = any(?)', [directoryIds]).where('starts', '>', 0).decrement('starts', 1);
  };

/** The fence of `holdLane` for what an attempt ends with: its process lives. */
export const concludeStarts = async (trx: Knex.Transaction, { directoryId, endpointId, epoch }: Lane): Promise<boolean> =>
  (await trx('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).update({ starts: 0 })) > 0;

export const createDisable =
  (db: Knex, tellOperator: TellOperator): DeliveryStore['disable'] =>
  (lane, reason) =>
    db.transaction(async (trx) => {
      if (!(await holdLane(trx, lane))) return false;
      const { directoryId, endpointId } = lane;
      const now = trx.raw('clock_timestamp()');
      await trx('webhook_endpoints')
        .where({ directory_id: directoryId, id: endpointId })
        // While nothing can be delivered, changes need not wake anybody.
        .update({ status: 'disabled', status_reason: reason, starts: 0, wake: true, wake_at: now });
      await tellOperator(trx, 'dsync.webhook_disabled', directoryId, { reason });
      return true;
    });
