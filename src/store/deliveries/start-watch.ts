import type { Knex } from 'knex';
import type { DeliveryStore, RunningReplay } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { holdLane } from './hold-lane.ts';
import { openBatchColumns, toOpenBatch, type OpenBatchRow } from './open-batch.ts';

interface RestRow {
  replay: { id: string; ranges: [number, number][]; next_sequence: number } | null;
  head: OpenBatchRow | null;
}

/** One statement tells whether there is anything to replay; as a rule there is not. */
export const createRest =
  (db: Knex): DeliveryStore['rest'] =>
  async (lane, { keepWatch, usedSecretIds }) => {
    const rows = await runPrepared<RestRow>(
      db,
      'rest',
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
  { id, ranges, next_sequence: nextSequence }: NonNullable<RestRow['replay']>,
  head: OpenBatchRow | null,
): RunningReplay => ({ id, ranges, nextSequence, head: head ? toOpenBatch(head) : undefined });

export const createEndWatch =
  (db: Knex): DeliveryStore['endWatch'] =>
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
    // A statement of its own: it is to see what was committed before the flag went down.
    const found = await db('directories').where({ id: directoryId }).first<{ last_sequence: number } | undefined>('last_sequence');
    return { lastSequence: found?.last_sequence ?? 0 };
  };

export const createFinishReplay =
  (db: Knex): DeliveryStore['finishReplay'] =>
  (lane, replayId) =>
    db.transaction(async (trx) => {
      if (!(await holdLane(trx, lane))) return;
      const { directoryId, endpointId } = lane;
      const finished = await trx('webhook_replays')
        .where({ directory_id: directoryId, id: replayId, status: 'running' })
        .update({
          status: trx.raw(`case when done >= total then 'done' else 'failed' end`),
          status_reason: trx.raw(
            `case when done < total then 'Of ' || total || ' events ' || done || ' could be sent; the content of the others is no longer kept.' end`,
          ),
          finished_at: trx.raw('clock_timestamp()'),
        });
      if (finished === 0) return;
      // What had been passed over has arrived after all, so its content is looked at once more.
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
