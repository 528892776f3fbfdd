import { toEventPayload } from '../../directory/event.ts';
import type { ListQueuedEvents } from '../../directory/delivery/delivery-log.ts';
import { assertComplete, maxPageBytes } from '../../directory/page.ts';
import { storedSize, weighPage, type EventRow } from '../event-feed/feed-rows.ts';
import { pageCost } from '../resources/query-cost.ts';
import { toPageWeight } from '../resources/list-rows.ts';
import { jsonWeight, type ResponseMemory } from '../sql/response-memory.ts';
import type { RunRead } from '../sql/run-read.ts';

interface QueuedRow extends EventRow {
  attempts: number;
  failures: number;
  is_open: boolean;
  /** The number of events before the page was cut. */
  fetched: number;
}

/** Reads of all directories share one limit. */
const owner = 'queued events';

/**
 * Events that directories with an active webhook have not acknowledged, the oldest first. Each directory contributes at most `offset + limit`
 * keys; bodies are read for the page only, as many as fit into memory.
 */
export const createListQueuedEvents =
  ({ runRead, memory }: { runRead: RunRead; memory: ResponseMemory }): ListQueuedEvents =>
  async ({ offset, limit }) => {
    const load = async () => {
      const { rows } = await runRead({ cost: pageCost({ offset, limit }), directoryId: owner }, async (db) =>
        db.raw<{ rows: QueuedRow[] }>(
          `with keys as materialized (
             select k.*, d.tenant, d.product, coalesce(b.attempts, 0) as attempts, coalesce(b.failures, 0) as failures,
               b.id is not null as is_open
             from webhook_endpoints p join directories d on d.id = p.directory_id and d.last_sequence > p.acked_sequence
               cross join lateral (
                 select directory_id, sequence, occurred_at from stored_events
                 where directory_id = p.directory_id and sequence > p.acked_sequence
                 order by sequence limit cast(:offset as bigint) + :limit
               ) k
               left join webhook_batches b on b.endpoint_id = p.id and b.status = 'pending' and b.kind = 'live'
                 and k.sequence between b.from_sequence and b.to_sequence
             where p.url is not null and p.status = 'active'
             order by k.occurred_at, k.directory_id, k.sequence offset :offset limit :limit
           ), sized as (
             select keys.*, count(*) over () as fetched, sum(size) over (${before}) as size_before
             from keys cross join lateral (
               select ${storedSize} as size from stored_events where directory_id = keys.directory_id and sequence = keys.sequence offset 0
             ) e
           ), page as (
             select sized.*, e.id, e.type, e.data, e.weight, sum(e.weight) over (${before}) as weight_before
             from sized cross join lateral (
               select id, type, data, coalesce(${jsonWeight('data')}, 0) as weight from events
               where directory_id = sized.directory_id and sequence = sized.sequence offset 0
             ) e
             where coalesce(size_before, 0) < :maxPageBytes
           )
           select * from page where coalesce(weight_before, 0) < :maxPageBytes order by occurred_at, directory_id, sequence`,
          { offset, limit, maxPageBytes },
        ),
      );
      return rows;
    };
    const rows = await memory.read(owner, toPageWeight(limit, maxPageBytes), load, weighPage);
    const resources = rows.map(({ directory_id: id, tenant, product, occurred_at: occurredAt, ...row }) => ({
      event: toEventPayload({ id, tenant, product }, { ...row, occurredAt }),
      failures: row.failures,
      state: row.failures > 0 ? ('failed' as const) : row.is_open ? ('open' as const) : ('pending' as const),
    }));
    return assertComplete({ resources, isCut: rows.length > 0 && rows[0]!.fetched > rows.length });
  };

const before = 'order by occurred_at, directory_id, sequence rows between unbounded preceding and 1 preceding';
