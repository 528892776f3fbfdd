import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import { prepared } from '../prepared.ts';
import { openBatchColumns, toOpenBatch, type OpenBatchRow } from './open-batch.ts';

interface LaneRow {
  id: string;
  epoch: number;
  acked_sequence: number;
  batch_limit: number | null;
  suspect_until: number;
  tenant: string;
  product: string;
  last_sequence: number;
  is_resting: boolean;
  head: OpenBatchRow | null;
}

/** The flag goes down in the statement that locks the row, so whoever commits later finds it down, and wakes. */
export const takeLane =
  (db: Knex): DeliveryStore['takeLane'] =>
  async (directoryId) => {
    const { rows } = await db
      .raw<{ rows: LaneRow[] }>(
        `with endpoint as (
           select e.*, e.url is null or e.status <> 'enabled' as is_resting from webhook_endpoints e where e.directory_id = :directoryId for update
         ), head as (
           select b.endpoint_id, ${openBatchColumns} from endpoint join webhook_batches b
             on b.directory_id = :directoryId and b.endpoint_id = endpoint.id and b.status = 'pending' and b.kind = 'live'
         ), taken as (
           update webhook_endpoints e set epoch = e.epoch + 1,
             wake = e.wake and (endpoint.is_resting or exists (select from head where retry_in_ms > 0))
           from endpoint where e.id = endpoint.id
           returning e.id, e.epoch, e.acked_sequence, e.batch_limit, e.suspect_until, endpoint.is_resting
         )
         select taken.*, d.tenant, d.product, d.last_sequence, (select row_to_json(head) from head) as head
         from taken join directories d on d.id = :directoryId`,
        { directoryId },
      )
      .options(prepared('take-lane'));
    const [row] = rows;
    if (!row) return 'gone';
    if (row.is_resting) return 'resting';
    if (row.head && row.head.retry_in_ms > 0) return { retryInMs: row.head.retry_in_ms };
    return {
      lane: { directoryId, endpointId: row.id, epoch: row.epoch },
      directory: { id: directoryId, tenant: row.tenant, product: row.product },
      ackedSequence: row.acked_sequence,
      lastSequence: row.last_sequence,
      batchLimit: row.batch_limit ?? undefined,
      suspectUntil: row.suspect_until,
      head: row.head ? toOpenBatch(row.head) : undefined,
    };
  };
