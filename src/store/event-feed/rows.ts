import type { EventType } from '../../directory/event.ts';
import type { FeedEvent, FeedPage, FeedRequest, Place } from '../../directory/event-feed/feed.ts';

/** A page that asks for some events only ends after so many, whatever it found: the place moves on, and the next page goes on there. */
const maxScanned = 10_000;
/** Of memory. A page ends early rather than fill it; it has one event at least. */
export const maxPageBytes = 8_388_608;

/** Of a row, without its content: a thousand large documents are not unpacked to find that eight fill the page. */
export const storedSize = 'case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end';

/** A page, and the bytes of memory that its events take. */
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
  /** To be joined by `and`. */
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

/** One more than asked for tells whether there are more. */
export const toScanLimit = (limit: number, passesOver: boolean) => (passesOver ? Math.max(maxScanned, limit + 1) : limit + 1);
