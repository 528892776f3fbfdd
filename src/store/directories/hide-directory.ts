import type { Knex } from 'knex';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';

/** Hides a directory from every read. The workflow `directoryDeletion` deletes its rows. False if there is none. */
export async function hideDirectory(trx: Knex.Transaction, id: string, emitOperatorEvent: EmitOperatorEvent): Promise<boolean> {
  // Locks in the same order as changes and deliveries do, to avoid deadlocks.
  await trx('directories').where({ id }).forNoKeyUpdate().first('id');
  await trx('webhook_endpoints').where({ directory_id: id }).forUpdate().first('id');
  await emitOperatorEvent(trx, 'dsync.deleted', id);
  return (await trx('directories').where({ id }).update({ deleting_at: trx.fn.now(), batches_at: null })) > 0;
}
