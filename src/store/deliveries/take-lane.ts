import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../prepared.ts';
import { openBatchColumns, toOpenBatch, type OpenBatchRow } from './open-batch.ts';

/** So often a lane is started again like any other after its process died. */
const startsAtOnce = 2;

interface LaneRow {
  acked_sequence: number;
  batch_limit: number | null;
  suspect_until: number;
  tenant: string;
  product: string;
  last_sequence: number;
  is_resting: boolean;
  head: OpenBatchRow | null;
}

/**
 * The flag goes down first, in a statement of its own: what was committed before is then seen, and whoever commits later finds the flag
 * down, and wakes. While there is nothing to be done it goes up again, so that changes wake nobody in vain.
 */
export const takeLane =
  (db: Knex): DeliveryStore['takeLane'] =>
  async (directoryId) => {
    const taken = await runPrepared<{ endpointId: string; epoch: number; starts: number; deaths: number }>(
      db,
      'take-lane',
      () => `update webhook_endpoints e set epoch = e.epoch + 1, wake = false, wake_at = clock_timestamp(),
           starts = case when e.starts < :startsAtOnce then e.starts + 1 else e.starts end
         from (select id, starts from webhook_endpoints where directory_id = :directoryId for update) before
         where e.directory_id = :directoryId and e.id = before.id
         returning e.id as "endpointId", e.epoch, e.starts, before.starts as deaths`,
      { directoryId, startsAtOnce },
    );
    if (!taken[0]) return 'gone';
    const { endpointId, epoch, starts, deaths } = taken[0];
    const lane = { directoryId, endpointId, epoch };
    const row = await readLane(db, lane);
    if (!row) return 'gone';
    const retryInMs = row.head?.retry_in_ms ?? 0;
    if (row.is_resting || retryInMs > 0) {
      await db('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).update({ wake: true, starts: deaths });
      return row.is_resting ? 'inactive' : { retryInMs };
    }
    return {
      lane,
      directory: { id: directoryId, tenant: row.tenant, product: row.product },
      ackedSequence: row.acked_sequence,
      lastSequence: row.last_sequence,
      batchLimit: row.batch_limit ?? undefined,
      suspectUntil: row.suspect_until,
      head: row.head ? toOpenBatch(row.head) : undefined,
      deaths,
      isStartCounted: starts > deaths,
    };
  };

async function readLane(db: Knex, { directoryId, endpointId }: { directoryId: string; endpointId: string }): Promise<LaneRow | undefined> {
  const rows = await runPrepared<LaneRow>(
    db,
    'read-lane',
    () => `select e.acked_sequence, e.batch_limit, e.suspect_until, e.url is null or e.status <> 'enabled' as is_resting,
         d.tenant, d.product, d.last_sequence,
         (select row_to_json(head) from (
            select ${openBatchColumns} from webhook_batches b
            where b.directory_id = :directoryId and b.endpoint_id = :endpointId and b.status = 'pending' and b.kind = 'live'
          ) head) as head
       from webhook_endpoints e join directories d on d.id = e.directory_id
       where e.directory_id = :directoryId and e.id = :endpointId`,
    { directoryId, endpointId },
  );
  return rows[0];
}
