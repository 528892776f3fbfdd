import type { Knex } from 'knex';
import type { HealthAlertStore } from '../../directory/health/alerts.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { type StaleAfterMs, healthSources, healthStatusOf, isSilent } from './health-status.ts';

interface StaleRow {
  directory_id: string;
  last_activity_at: Date | null;
}

/**
 * A row of `stale_directories` is an episode that was announced. Of two processes that insert
 * it, the second one finds it and announces nothing.
 */
export const createAnnounceStale =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent, staleAfterMs: StaleAfterMs): HealthAlertStore['announceStale'] =>
  async (limit) => {
    await db.raw(
      `delete from stale_directories where directory_id in (
         select d.id from stale_directories o join directories d on d.id = o.directory_id join webhook_endpoints e on e.directory_id = d.id
           ${healthSources}
         where not ${isSilent(staleAfterMs)})`,
    );
    if (staleAfterMs === undefined) return 0;
    return db.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: StaleRow[] }>(
        `with found as (
           select d.id, coalesce(synced.finished_at, p.last_push_at) as last_activity_at
           from directories d join webhook_endpoints e on e.directory_id = d.id ${healthSources}
           where ${healthStatusOf(staleAfterMs)} = 'stale' and not exists (select from stale_directories o where o.directory_id = d.id)
           limit :limit
         ), announced as (
           insert into stale_directories (directory_id) select id from found order by id on conflict do nothing returning directory_id
         )
         select announced.directory_id, found.last_activity_at from announced join found on found.id = announced.directory_id`,
        { limit },
      );
      for (const { directory_id: directoryId, last_activity_at: at } of rows)
        await emitOperatorEvent(trx, 'dsync.directory.stale', directoryId, { last_activity_at: at?.toISOString() ?? null });
      return rows.length;
    });
  };
