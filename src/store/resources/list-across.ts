import type { Knex } from 'knex';
import { hasForeignKeySql } from '../migrations/025-imported-in-order.ts';
import { maxPageBytes, type PageRequest, type RowPosition } from '../../directory/page.ts';
import type { OfDirectory, PageAcross } from '../../directory/ports.ts';
import { endOfOwnKeys, type Identified } from '../../directory/resources/resource-ids.ts';
import { createdAtMs } from '../../ids.ts';
import { exactDocumentWeight } from './pushed-column.ts';
import { pageCost } from './query-cost.ts';
import { type ResourceStoreDeps, toPageWeight } from './list-rows.ts';

type Bindings = Record<string, string | boolean | Date | string[] | boolean[]>;

/** Which rows of the directories to list. */
export interface RowSelection {
  /**
   * SQL that finds rows by an index, as `directory_id` and `id`. Without it, rows are read in the order of the list, and so they are if it finds
   * more than `maxSorted`, unless they are known to be few: then a page has not to be sought for long.
   */
  candidates?: string | undefined;
  /** Whether these are a few rows, so that they need no slot of a search. */
  isFew?: boolean | undefined;
  /** SQL conditions on the row `r`. All must hold. */
  conditions: string[];
  bindings: Bindings;
}

interface PageOfDirectories<Row, Resource> {
  directoryIds: string[];
  page: PageRequest<RowPosition>;
  selection?: RowSelection | undefined;
  toResource(row: Row): Resource;
}

type Placed = OfDirectory<Pick<Identified, 'id'> & { createdAt: Date }>;

/** The order of Rollcall's own keys is that of creation. */
export const positionOf = ({ id, createdAt, directoryId }: Placed): RowPosition => ({
  at: id[14] === '7' ? createdAtMs(id) : createdAt.getTime(),
  id,
  directoryId,
});

interface Listed {
  fetched: number;
}

/** Reads a page of several directories within the shares of the first one. */
export function readAcrossDirectories<Row, Resource extends Placed>(
  { runStaleRead, memory }: Pick<ResourceStoreDeps, 'runStaleRead' | 'memory'>,
  table: 'users' | 'groups',
  { directoryIds, page, selection = { conditions: [], bindings: {} }, toResource }: PageOfDirectories<Row, Resource>,
): Promise<PageAcross<Resource>> {
  const directoryId = directoryIds[0]!;
  const cost = selection.conditions.length > 0 && !selection.isFew ? 'search' : pageCost({ offset: 0, ...page });
  return memory.read(directoryId, toPageWeight(page.limit, maxPageBytes), () =>
    runStaleRead({ cost, directoryId }, async (reading) => {
      const rows = await listRows<Row & Listed>(reading, table, { directoryIds, page, selection });
      const resources = rows.slice(0, page.limit).map(toResource);
      const fetched = rows[0]?.fetched ?? 0;
      return {
        resources,
        isCut: resources.length < Math.min(fetched, page.limit),
        next: fetched > resources.length ? positionOf(resources.at(-1)!) : undefined,
      };
    }),
  );
}

/** Nearly all rows. Postgres takes a comparison for a rare one, and would sort all rows of a directory. */
const hasOwnKey = (id: string) => `case when ${hasForeignKeySql(id)} then false else true end`;

/** The time at which a key of version 7 was created, in ms since 1970. */
const createdAtOfKey = (id: string) => `cast(cast('x' || left(replace(cast(${id} as text), '-', ''), 12) as bit(48)) as bigint)`;
const toMs = (time: string) => `cast(extract(epoch from ${time}) * 1000 as bigint)`;
const isBefore = (columns: string) => `(${columns}) < (cast(:afterAt as bigint), cast(:afterId as uuid), cast(:afterDirectory as uuid))`;

/**
 * Reads a page of rows from several directories, newest first as in Polis, with one row more than the page has. The order of Rollcall's own keys
 * is that of creation: each directory contributes as many of them as the page may need from its primary key index, read backwards from
 * `:end`, above which only keys from elsewhere are. Of these it contributes as many from their own index. Only the rows of the page are read.
 */
async function listRows<Row>(
  db: Knex,
  table: 'users' | 'groups',
  { directoryIds, page, selection }: { directoryIds: string[]; page: PageRequest<RowPosition>; selection: RowSelection },
): Promise<Row[]> {
  const after = 'after' in page ? page.after : undefined;
  const { rows } = await db.raw<{ rows: Row[] }>(
    `with ${withKeys(selection, after)}
       order by at desc, id desc, directory_id desc offset cast(:offset as bigint) limit cast(:limit as bigint) + 1
     ), measured as (
       select r.*, keys.at as listed_at, count(*) over () as fetched, coalesce(sum(${exactDocumentWeight('r.', table)})
           over (order by keys.at desc, r.id desc, r.directory_id desc rows between unbounded preceding and 1 preceding), 0) as weight_before
       from keys join :table: r on r.directory_id = keys.directory_id and r.id = keys.id
     )
     select * from measured where weight_before < :maxPageBytes order by listed_at desc, id desc, directory_id desc`,
    {
      table,
      directoryIds,
      offset: 'offset' in page ? page.offset : 0,
      limit: page.limit,
      maxPageBytes,
      ...(mayBeMany(selection) && { maxSorted }),
      end: endOfOwnKeys,
      ...(after && { afterAt: after.at, afterId: after.id, afterDirectory: after.directoryId, bound: boundOfOwnKeys(after) }),
      ...selection.bindings,
    },
  );
  return rows;
}

/** Each of them is looked up, and they are sorted, for each page. */
const maxSorted = 5_000;
const mayBeMany = ({ candidates, isFew }: RowSelection) => candidates !== undefined && !isFew;

/** The part of the statement that finds the keys of a page, up to their order. */
function withKeys(selection: RowSelection, after: RowPosition | undefined): string {
  const { candidates } = selection;
  if (candidates === undefined) return `keys as (${keysInOrder(selection, after)}`;
  if (!mayBeMany(selection)) return `keys as (${keysOfCandidates(candidates, selection, after)}`;
  return `few as materialized (
       select directory_id, id from (${candidates}) candidates limit cast(:maxSorted as bigint) + 1
     ), counted as materialized (
       select count(*) <= :maxSorted as is_few from few
     ), keys as (
       select * from (
         select * from (${keysOfCandidates('select directory_id, id from few', selection, after)}) sorted where (select is_few from counted)
         union all
         select * from (${keysInOrder(selection, after)}) in_order where not (select is_few from counted)
       ) either`;
}

function keysInOrder({ conditions }: RowSelection, after: RowPosition | undefined): string {
  const fits = conditions.map((condition) => ` and ${condition}`).join('');
  // Written so that the index is entered at the bound.
  const own = after
    ? ' and r.id <= cast(:bound as uuid) and (r.id < cast(:bound as uuid) or r.directory_id < cast(:afterDirectory as uuid))'
    : '';
  const place = "cast(timestamptz 'epoch' + cast(:afterAt as bigint) * interval '1 millisecond' as timestamptz), cast(:afterId as uuid)";
  const foreign = after
    ? ` and (r.created_at, r.id) <= (${place}) and ((r.created_at, r.id) < (${place}) or r.directory_id < cast(:afterDirectory as uuid))`
    : '';
  return `
       select k.* from unnest(cast(:directoryIds as uuid[])) as d(id)
         cross join lateral (
           (select directory_id, id, ${createdAtOfKey('id')} as at from :table: r
              where directory_id = d.id and id < cast(:end as uuid)${own} and ${hasOwnKey('id')}${fits}
              order by directory_id desc, id desc limit cast(:offset as bigint) + :limit + 1)
           union all
           (select directory_id, id, ${toMs('created_at')} from :table: r
              where directory_id = d.id and ${hasForeignKeySql('id')}${foreign}${fits}
              order by directory_id desc, created_at desc, id desc limit cast(:offset as bigint) + :limit + 1)
         ) k`;
}

/** Each candidate is looked up by its key. */
const keysOfCandidates = (candidates: string, { conditions }: RowSelection, after: RowPosition | undefined): string => `
       select placed.* from (${candidates}) as found
         cross join lateral (
           select r.directory_id, r.id, case when ${hasForeignKeySql('r.id')} then ${toMs('r.created_at')} else ${createdAtOfKey('r.id')} end as at
           from :table: r where r.directory_id = found.directory_id and r.id = found.id
             ${conditions.map((condition) => `and ${condition}`).join(' ')} offset 0
         ) placed
       ${after ? `where ${isBefore('placed.at, placed.id, placed.directory_id')}` : ''}`;

/**
 * Own keys below this one come after the position. The position of a foreign key is between the own keys of its millisecond, or beside them.
 */
function boundOfOwnKeys({ at, id }: RowPosition): string {
  const lowest = toKey(at);
  const highest = toKey(at + 1);
  if (id < lowest) return lowest;
  return id > highest ? highest : id;
}

function toKey(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
