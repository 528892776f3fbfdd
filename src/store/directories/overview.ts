import type { Knex } from 'knex';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import type { DirectoryType } from '../../directory/directories/directory.ts';
import { healthStatuses, unhealthyStatuses, type HealthStatus } from '../../directory/health/health-status.ts';
import { maxListed, type Overview, type UnhealthyDirectory } from '../../directory/health/overview.ts';
import type { DirectoryStore } from '../../directory/ports.ts';
import { type FailingColumns, failingColumns, toFailing } from '../deliveries/failing.ts';
import { type HealthColumns, type StaleAfterMs, healthColumns, healthSources, toHealthSummary } from './health-status.ts';

interface UnhealthyRow extends HealthColumns, FailingColumns {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: DirectoryType;
  backlog: number;
  status_reason: string | null;
}

interface OverviewRow {
  by_health: Partial<Record<HealthStatus, number>> | null;
  events: number;
  directories: number;
  oldest_at: Date | null;
  unhealthy: UnhealthyRow[] | null;
}

const order = unhealthyStatuses.map((status) => `'${status}'`).join(', ');
/** An event waits only where there is an address for it. */
export const backlogColumn = 'case when e.url is null then 0 else d.last_sequence - e.acked_sequence end';

/** Reads everything in one statement, so that it is consistent: each directory once, and the details of the listed ones. */
export const createReadOverview =
  (db: Knex, staleAfterMs: StaleAfterMs): DirectoryStore['overview'] =>
  async ({ tenant, product, directoryId }) => {
    const { rows } = await db.raw<{ rows: [OverviewRow] }>(
      `with assessed as materialized (
         select d.id, d.name, d.tenant, d.product, d.type, e.id as endpoint_id, e.acked_sequence, e.status_reason, e.first_failure_at,
           ${backlogColumn} as backlog, ${healthColumns(staleAfterMs)}
         from directories d join webhook_endpoints e on e.directory_id = d.id ${healthSources}
         where (cast(:tenant as text) is null or d.tenant = :tenant) and (cast(:product as text) is null or d.product = :product)
           and (cast(:directoryId as uuid) is null or d.id = :directoryId)
       ), listed as (
         select *, row_number() over () as place from (
           select * from assessed where health_status in (${order})
           order by array_position(array[${order}], health_status), first_failure_at nulls last, id limit ${maxListed}
         ) first
       )
       select (select json_object_agg(health_status, directories) from (select health_status, count(*) as directories from assessed group by 1) c)
           as by_health,
         (select coalesce(cast(sum(backlog) as float8), 0) from assessed) as events,
         (select cast(count(*) as float8) from assessed where backlog > 0) as directories,
         (select min(s.occurred_at) from assessed a join stored_events s on s.directory_id = a.id and s.sequence = a.acked_sequence + 1
          where a.backlog > 0) as oldest_at,
         (select json_agg(row_to_json(l) order by l.place) from (
            select listed.id, listed.name, listed.tenant, listed.product, listed.type, listed.backlog, listed.status_reason, listed.place,
              listed.health_status, listed.health_delivery_status, ${failingColumns}
            from listed join webhook_endpoints e on e.directory_id = listed.id and e.id = listed.endpoint_id
          ) l) as unhealthy`,
      { tenant: tenant ?? null, product: product ?? null, directoryId: directoryId ?? null },
    );
    return toOverview(rows[0]);
  };

const toOverview = (row: OverviewRow): Overview => ({
  byHealth: Object.fromEntries(healthStatuses.map((status) => [status, row.by_health?.[status] ?? 0])) as Overview['byHealth'],
  backlog: { events: row.events, directories: row.directories, oldestAt: row.oldest_at ?? undefined },
  unhealthy: (row.unhealthy ?? []).map(toUnhealthy),
});

const toUnhealthy = (row: UnhealthyRow): UnhealthyDirectory => ({
  id: publicDirectoryId(row),
  name: row.name,
  tenant: row.tenant,
  product: row.product,
  type: row.type,
  health: toHealthSummary(row),
  deliveryStatus: row.health_delivery_status,
  backlog: row.backlog,
  reason: row.status_reason ?? undefined,
  ...toFailing(row),
});
