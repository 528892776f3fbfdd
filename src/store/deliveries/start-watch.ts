import type { Knex } from 'knex';
import type { DeliveryStore, RunningReplay } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { openBatchColumns, toOpenBatch, type OpenBatchRow } from './open-batch.ts';

interface WatchRow {
  replay: { id: string; ranges: [number, number][]; next_sequence: number } | null;
  head: OpenBatchRow | null;
}

/** Called when nothing is left to deliver. One statement starts the watch, or returns a running replay instead. */
export const createStartWatch =
  (db: Knex): DeliveryStore['goIdle'] =>
  async (lane, { keepWatch, usedSecretIds }) => {
    const rows = await runPrepared<WatchRow>(
      db,
      'start-watch',
      () => `with replay as (
           select id, ranges, next_sequence from webhook_replays
           where directory_id = :directoryId and endpoint_id = :endpointId and status = 'running' order by created_at limit 1
         ), watched as (
           update webhook_endpoints e set wake = e.wake or (cast(:keepWatch as boolean) and not exists (select from replay)), wake_at = clock_timestamp(),
             starts = case when exists (select from replay) then e.starts else 0 end
           where e.directory_id = :directoryId and e.id = :endpointId and e.epoch = :epoch returning e.*
         ), used as (
           update webhook_secrets s set last_used_at = clock_timestamp()
           from watched where s.directory_id = :directoryId and s.id = any(cast(:usedSecretIds as uuid[]))
         )
         select (select row_to_json(replay) from replay) as replay,
           (select row_to_json(head) from (
              select ${openBatchColumns} from replay join webhook_batches b on b.replay_id = replay.id
              where b.directory_id = :directoryId and b.status = 'pending'
            ) head) as head
         from watched`,
      { ...lane, keepWatch, usedSecretIds },
    );
    const [row] = rows;
    if (!row) return 'superseded';
    return row.replay ? toRunningReplay(row.replay, row.head) : undefined;
  };

const toRunningReplay = (
  { id, ranges, next_sequence: nextSequence }: NonNullable<WatchRow['replay']>,
  head: OpenBatchRow | null,
): RunningReplay => ({ id, ranges, nextSequence, head: head ? toOpenBatch(head) : undefined });

export const createEndWatch =
  (db: Knex): DeliveryStore['stopWatching'] =>
  async ({ directoryId, endpointId, epoch }) => {
    const rows = await runPrepared<{ last_sequence: number }>(
      db,
      'end-watch',
      () => `with unwatched as (
           update webhook_endpoints set wake = false where directory_id = :directoryId and id = :endpointId and epoch = :epoch returning id
         )
         select id from unwatched`,
      { directoryId, endpointId, epoch },
    );
    if (rows.length === 0) return 'superseded';
    // A separate statement, so that it sees everything that was committed before the flag was cleared.
    const found = await db('directories').where({ id: directoryId }).first<{ last_sequence: number } | undefined>('last_sequence');
    return { lastSequence: found?.last_sequence ?? 0 };
  };
