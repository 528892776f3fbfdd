import type { Knex } from 'knex';
import type { DeliveryStore, RunningReplay, StalledDelivery } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { type OpenDeliveryRow, openDeliveryColumns, toOpenDelivery } from './take-lane.ts';

interface WatchRow {
  replay: { id: string; ranges: [number, number][]; next_sequence: number } | null;
  head: OpenDeliveryRow | null;
}

/** Called when nothing is left to deliver. One statement starts the watch, or returns a running replay instead. */
export const createGoIdle =
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
              select ${openDeliveryColumns} from replay join webhook_batches b on b.replay_id = replay.id
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
  head: OpenDeliveryRow | null,
): RunningReplay => ({ id, ranges, nextSequence, head: head ? toOpenDelivery(head) : undefined });

/** A change that reads the flag before is committed before (write-changes.ts). */
export const createStopWatching =
  (db: Knex): DeliveryStore['stopWatching'] =>
  async ({ directoryId, endpointId, epoch }) => {
    const rows = await runPrepared<{ last_sequence: number }>(
      db,
      'end-watch',
      () => `with unwatched as (
           update webhook_endpoints e set wake = false
           from (select id from webhook_endpoints where directory_id = :directoryId and id = :endpointId and epoch = :epoch for update) locked
           where e.directory_id = :directoryId and e.id = locked.id returning e.id
         )
         select id from unwatched`,
      { directoryId, endpointId, epoch },
    );
    if (rows.length === 0) return 'superseded';
    // A separate statement, so that it sees everything that was committed before the flag was cleared.
    const found = await db('directories').where({ id: directoryId }).first<{ last_sequence: number } | undefined>('last_sequence');
    return { lastSequence: found?.last_sequence ?? 0 };
  };

/** Asks the drains of these directories that wait for more events to end, which they do when they see that their flag is down. */
export async function endWatches(db: Knex, directoryIds: string[]): Promise<void> {
  await db.raw(
    `update webhook_endpoints set wake = false
     where id in (
       select id from webhook_endpoints where directory_id = any(?) and worker_id is not null and wake order by id for no key update skip locked)`,
    [directoryIds],
  );
}

/**
 * Finds directories with undelivered events whose delivery has not touched the endpoint for this long. In batch mode events wait until the
 * next scheduled delivery, so only a set flag or an open delivery counts.
 */
export const createFindStalled =
  (db: Knex, { inBatches }: { inBatches: boolean }): DeliveryStore['findStalled'] =>
  async (limit, silentMs) => {
    const { rows } = await db.raw<{ rows: StalledDelivery[] }>(
      `update webhook_endpoints set wake_at = clock_timestamp()
       where id in (
         select e.id from webhook_endpoints e
           join directories d on d.id = e.directory_id
           left join webhook_batches b on b.endpoint_id = e.id and b.status = 'pending' and b.kind = 'live'
           left join webhook_batches r on r.endpoint_id = e.id and r.status = 'pending' and r.kind = 'replay'
         where e.url is not null and e.status = 'active'
           and ((d.last_sequence > e.acked_sequence ${inBatches ? 'and (e.wake or b.id is not null)' : ''})
             or exists (select from webhook_replays p where p.endpoint_id = e.id and p.status = 'running'))
           and greatest(e.wake_at, e.updated_at, b.next_attempt_at, r.next_attempt_at) < clock_timestamp() - cast(? as integer) * interval '1 millisecond'
         limit ? for update of e skip locked)
       returning directory_id as "directoryId", worker_epoch = epoch and exists (
         select from delivery_workers w where w.id = worker_id and w.expires_at > clock_timestamp()) as "isHeld"`,
      [silentMs, limit],
    );
    return rows;
  };

/** Returns each directory once: concurrent callers get different directories. */
export const createWakeBacklogs =
  (db: Knex): DeliveryStore['wakeBacklogs'] =>
  async (limit) => {
    const { rows } = await db.raw<{ rows: { directory_id: string }[] }>(
      `update webhook_endpoints set wake = true, wake_at = clock_timestamp()
       where id in (
         select e.id from webhook_endpoints e join directories d on d.id = e.directory_id and d.last_sequence > e.acked_sequence
         where not e.wake and e.url is not null and e.status = 'active' limit ? for update of e skip locked)
       returning directory_id`,
      [limit],
    );
    return rows.map((row) => row.directory_id);
  };

export const createLowerWakeFlags =
  (db: Knex): DeliveryStore['lowerWakeFlags'] =>
  async (directoryIds) => {
    await db('webhook_endpoints').whereRaw('directory_id = any(?)', [directoryIds]).update({ wake: false });
  };
