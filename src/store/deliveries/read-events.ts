import type { Knex } from 'knex';
import type { DeliveryStore, EventRange, ReadEvents } from '../../directory/delivery/ports.ts';
import type { EventType } from '../../directory/event.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { shareQueries } from '../sql/share-queries.ts';

interface EventRow {
  /** The position of its range. */
  range: number;
  id: string;
  sequence: number;
  type: EventType;
  /** Null if the event is larger than the limit. */
  data: string | null;
  occurred_at: Date;
  bytes: number;
}

export function createReadEvents(db: Knex): Pick<DeliveryStore, 'readEvents' | 'readRanges'> {
  return {
    readRanges,
    readEvents: async (directoryId, range) => (await readRanges([{ directoryId, ...range }]))[0]!,
  };

  /** Uses the stored sizes, so that Postgres does not decompress documents that are not returned. Skips events without a body. */
  async function readRanges(ranges: EventRange[]): Promise<ReadEvents[]> {
    const rows = await runPrepared<EventRow>(
      db,
      'read-events',
      () => `select given.position - 1 as range, found.* from rows from (
           jsonb_to_recordset(cast(:ranges as jsonb)) as ("directoryId" uuid, "after" bigint, "upTo" bigint, "limit" int, "maxBytes" bigint)
         ) with ordinality as given("directoryId", "after", "upTo", "limit", "maxBytes", position) cross join lateral (
           select weighed.sequence, weighed.size as bytes, e.id, e.type, e.data, e.occurred_at from (
             select sequence, size, sum(size) over (order by sequence) as bytes_to_here from (
               select sequence, coalesce(bytes, octet_length(cast(data as text))) as size from stored_events
               where directory_id = given."directoryId" and sequence > given."after" and sequence <= given."upTo" and data is not null
               order by sequence limit given."limit"
             ) unread
           ) weighed left join lateral (
             select id, type, cast(data as text) as data, occurred_at from events
             where directory_id = given."directoryId" and sequence = weighed.sequence and weighed.bytes_to_here <= given."maxBytes" offset 0
           ) e on true
           where weighed.bytes_to_here <= given."maxBytes" or weighed.bytes_to_here = weighed.size
         ) found order by given.position, found.sequence`,
      { ranges: JSON.stringify(ranges) },
    );
    const rowsOf: EventRow[][] = ranges.map(() => []);
    for (const row of rows) rowsOf[row.range]!.push(row);
    return rowsOf.map(toReadEvents);
  }
}

function toReadEvents(rows: EventRow[]): ReadEvents {
  const events = rows.flatMap(({ id, sequence, type, data, bytes, occurred_at: occurredAt }) =>
    data === null ? [] : [{ id, sequence, type, data, bytes, occurredAt }],
  );
  return { events, firstBytes: rows[0]?.data === null ? rows[0].bytes : undefined };
}

/** A statement for many lanes reads no more than this, because each of them waits for all. */
const [maxLanes, maxSharedBytes] = [64, 8_388_608];

/** Lanes that read at the same time share a statement. If it fails, each reads alone. */
export function shareReads(store: Pick<DeliveryStore, 'readEvents' | 'readRanges'>): DeliveryStore['readEvents'] {
  const read = shareQueries(async (keys) => {
    const found = new Map<string, ReadEvents>();
    for (const ranges of divide(keys.map((key) => JSON.parse(key) as EventRange))) {
      for (const [index, events] of (await store.readRanges(ranges)).entries()) found.set(JSON.stringify(ranges[index]), events);
    }
    return found;
  });
  return async (directoryId, range) => {
    if (range.maxBytes > maxSharedBytes) return store.readEvents(directoryId, range);
    const found = await read(JSON.stringify({ directoryId, ...range })).catch(() => undefined);
    return found ?? store.readEvents(directoryId, range);
  };
}

function divide(ranges: EventRange[]): EventRange[][] {
  const divided: EventRange[][] = [];
  let bytes = 0;
  for (const range of ranges) {
    bytes += range.maxBytes;
    if (divided.length === 0 || divided.at(-1)!.length === maxLanes || bytes > maxSharedBytes) {
      divided.push([]);
      bytes = range.maxBytes;
    }
    divided.at(-1)!.push(range);
  }
  return divided;
}
