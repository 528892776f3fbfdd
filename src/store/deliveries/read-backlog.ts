import type { Knex } from 'knex';
import type { Backlog } from '../../directory/delivery/backlog.ts';
import { reportedStatus } from './reported-status.ts';

/** The backlog of all directories that have a webhook. */
export const readBacklog = (db: Knex) => async (): Promise<Backlog> => {
  const { rows } = await db.raw<{ rows: { status: string; events: number; directories: number; oldest_seconds: number | null }[] }>(
    `select ${reportedStatus} as status, cast(sum(d.last_sequence - e.acked_sequence) as float8) as events, cast(count(*) as float8) as directories,
       cast(max(extract(epoch from clock_timestamp() - next.occurred_at)) as float8) as oldest_seconds
     from webhook_endpoints e
       join directories d on d.id = e.directory_id and d.last_sequence > e.acked_sequence
       left join stored_events next on next.directory_id = e.directory_id and next.sequence = e.acked_sequence + 1
     where e.url is not null
     group by 1`,
  );
  return {
    events: rows.reduce((sum, { events }) => sum + events, 0),
    directories: Object.fromEntries(rows.map(({ status, directories }) => [status, directories])),
    oldestSeconds: Math.max(0, ...rows.map((row) => row.oldest_seconds ?? 0)),
  };
};
