import type { EventType } from '../../directory/event.ts';
import type { FeedEvent, FeedPage, FeedRequest, Place } from '../../directory/feed/ports.ts';

/** A filtered page ends after scanning this many events, whatever it found. The next page continues from there. */
const maxScanned = 10_000;
/** Memory limit of a page. A page that would exceed it ends early, but has at least one event. */
export const maxPageBytes = 8_388_608;

/**
 * SQL for the size of a row of `stored_events`. It does not read the event's body: a page of eight large events does not have to decompress a
 * thousand of them.
 */
export const storedSize = 'case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end';

/** A page, and the memory in bytes that its events take. */
export type WeighedPage<APlace extends Place> = FeedPage<APlace> & { bytes: number };

export interface EventRow {
  directory_id: string;
  tenant: string;
  product: string;
  sequence: number;
  id: string;
  type: EventType;
  data: Record<string, unknown> | null;
  occurred_at: Date;
  weight: number;
}

export const weighPage = (rows: EventRow[]) => rows.reduce((sum, { weight }) => sum + weight, 0);

export const toFeedEvent = (row: EventRow): FeedEvent => ({
  id: row.id,
  type: row.type,
  data: row.data,
  sequence: row.sequence,
  occurredAt: row.occurred_at,
  directory: { id: row.directory_id, tenant: row.tenant, product: row.product },
});

interface Filtering {
  /** All of them must hold. */
  conditions: string[];
  bindings: Record<string, string | string[] | Date>;
}

export function toFiltering({ types, from, until }: FeedRequest): Filtering {
  return {
    conditions: [
      'true',
      ...(types ? ['type = any(:types)'] : []),
      ...(from ? ['occurred_at >= :from'] : []),
      ...(until ? ['occurred_at < :until'] : []),
    ],
    bindings: { ...(types && { types }), ...(from && { from }), ...(until && { until }) },
  };
}

/** One event more than the limit shows whether there is a next page. */
export const toScanLimit = (limit: number, isFiltered: boolean) => (isFiltered ? Math.max(maxScanned, limit + 1) : limit + 1);

/**
 * SQL that returns the last sequence whose event is before a time, or `low` if there is none up to `high`. All arguments are SQL. Times increase
 * with the sequence, so a binary search over the primary key replaces an index on times. Each step takes the first event that exists after
 * the middle.
 */
export const lastSequenceBefore = ({ directoryId, low, high, time }: Record<'directoryId' | 'low' | 'high' | 'time', string>) =>
  `with recursive search (low, high) as (
       select ${low}, ${high} + 1
       union all
       select case when probe.occurred_at < ${time} then probe.sequence else low end,
         case when probe.occurred_at < ${time} then high else middle end
       from search cross join lateral (select low + (high - low) / 2 as middle) m
         left join lateral (
           select sequence, occurred_at from stored_events where directory_id = ${directoryId} and sequence >= middle
           order by directory_id, sequence limit 1
         ) probe on probe.sequence < high
       where high - low > 1
     )
     select low as sequence from search where high - low <= 1`;
