import type { Knex } from 'knex';
import { type CountedPushes, activityHours } from '../../directory/activity/activity.ts';

const slots = 32;
const presentHour = 'cast(floor(extract(epoch from clock_timestamp()) / 3600) as bigint)';

/** The row of an earlier hour with the same slot is replaced. What comes after that for the earlier hour is not counted. */
const add = (columns: readonly string[]) =>
  `on conflict (directory_id, slot) do update set hour = excluded.hour, ${['pushes', 'rejected_pushes', 'failed_attempts']
    .map((column) => {
      const added = columns.includes(column) ? `excluded.${column}` : '0';
      return `${column} = case when h.hour = excluded.hour then h.${column} + ${added} else ${added} end`;
    })
    .join(', ')} where h.hour <= excluded.hour`;

/** In the order of directories, so that two processes do not wait for each other. Deleted directories are left out, and locked ones too. */
export async function addPushes(db: Knex, counted: CountedPushes[]): Promise<void> {
  if (counted.length === 0) return;
  const newest = newestOfSlots(counted);
  await db.raw(
    `with present as (
       select d.id from directories d where d.id = any(cast(:directoryIds as uuid[])) for key share of d skip locked
     )
     insert into directory_hours as h (directory_id, slot, hour, pushes, rejected_pushes)
     select r.directory_id, r.hour % ${slots}, r.hour, r.pushes, r.rejected_pushes
     from jsonb_to_recordset(cast(:rows as jsonb)) as r(directory_id uuid, hour bigint, pushes integer, rejected_pushes integer)
       join present on present.id = r.directory_id
     order by r.directory_id, r.hour
     ${add(['pushes', 'rejected_pushes'])}`,
    {
      directoryIds: [...new Set(newest.map(({ directoryId }) => directoryId))],
      rows: JSON.stringify(
        newest.map(({ directoryId, hour, pushes, rejectedPushes }) => ({
          directory_id: directoryId,
          hour,
          pushes,
          rejected_pushes: rejectedPushes,
        })),
      ),
    },
  );
}

/**
 * One statement cannot write a slot twice. After a long outage there are counts of hours
 * that share one: the older ones are not shown any more.
 */
function newestOfSlots(counted: CountedPushes[]): CountedPushes[] {
  const newest = new Map<string, CountedPushes>();
  for (const one of counted) {
    const slot = `${one.directoryId} ${one.hour % slots}`;
    if ((newest.get(slot)?.hour ?? -1) < one.hour) newest.set(slot, one);
  }
  return [...newest.values()];
}

/** In the transaction that records the failure: an attempt that is recorded twice counts once. */
export async function addFailedAttempt(trx: Knex.Transaction, directoryId: string): Promise<void> {
  await trx.raw(
    `insert into directory_hours as h (directory_id, slot, hour, failed_attempts)
     select cast(:directoryId as uuid), hour % ${slots}, hour, 1 from (select ${presentHour} as hour) present
     ${add(['failed_attempts'])}`,
    { directoryId },
  );
}

export interface HourRow {
  hour: number;
  pushes: number;
  rejected_pushes: number;
  events: number;
  failed_attempts: number;
}

/**
 * Sequences are gapless and in the order of time, so the events of an hour are the difference of two sequences. Each is found by halving:
 * about 20 rows for each hour, however many events there are. Events whose rows are deleted are before every hour.
 */
export async function readDirectoryHours(db: Knex, directoryId: string): Promise<HourRow[]> {
  const { rows } = await db.raw<{ rows: HourRow[] }>(
    `with recursive bounds as materialized (
       select number as hour, d.swept_sequence as low, d.last_sequence + 1 as high
       from directories d cross join lateral (
         select generate_series(present - ${activityHours - 1}, present + 1) as number from (select ${presentHour} as present) p
       ) hours where d.id = :directoryId
     ), search (hour, low, high) as (
       select hour, low, high from bounds
       union all
       select hour, case when probe.is_before then probe.sequence else low end,
         case when probe.is_before then high else (low + high) / 2 end
       from search left join lateral (
         select e.sequence, e.occurred_at < to_timestamp(search.hour * 3600) as is_before from stored_events e
         where e.directory_id = :directoryId and e.sequence >= (search.low + search.high) / 2 and e.sequence < search.high
         order by e.sequence limit 1
       ) probe on true
       where high - low > 1
     ), starts as (
       select hour, low as sequence from search where high - low <= 1
     )
     select cast(s.hour as float8) as hour, coalesce(h.pushes, 0) as pushes, coalesce(h.rejected_pushes, 0) as rejected_pushes,
       coalesce(h.failed_attempts, 0) as failed_attempts, cast(greatest(next.sequence - s.sequence, 0) as float8) as events
     from starts s join starts next on next.hour = s.hour + 1
       left join directory_hours h on h.directory_id = :directoryId and h.slot = s.hour % ${slots} and h.hour = s.hour
     order by s.hour`,
    { directoryId },
  );
  return rows;
}
