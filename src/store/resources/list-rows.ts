import type { Knex } from 'knex';
import type { ResourcePage, ResourceQuery } from '../../directory/ports.ts';
import type { Position } from '../../scim/cursor.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { compileFilter } from '../filters/compile-filter.ts';
import { compileSort } from '../filters/compile-sort.ts';
import type { RunRead } from '../sql/run-read.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { exactDocumentWeight } from './pushed-column.ts';
import { queryCost } from './query-cost.ts';

/** What the stores of users and of groups need. */
export interface ResourceStoreDeps {
  db: Knex;
  runRead: RunRead;
  /** For lists of the JSON API. Identity providers read what they have just written. */
  runStaleRead: RunRead;
  memory: ResponseMemory;
}

/** Reads a page of a directory's rows within the directory's share of reads and of response memory. */
export function readPage<Row extends Keyed>(
  { runRead, memory }: Pick<ResourceStoreDeps, 'runRead' | 'memory'>,
  listing: Listing,
  directoryId: string,
  query: ResourceQuery,
): Promise<ResourcePage<Row>> {
  const expected = toPageWeight(query.page.limit, maxPageWeight);
  const load = (db: Knex) => listRows<Row>(db, listing, directoryId, query);
  return memory.read(
    directoryId,
    expected,
    () => runRead({ cost: queryCost(query, listing.type), directoryId }, load),
    // Reduces the held memory to the actual size before the store waits for memory for members or groups.
    ({ resources }) => weighPage(resources, expected),
  );
}

/** Ends a page before its members (or groups) exceed `maxWeight`. They can take far more memory than the rows. Keeps at least one row. */
export function shortenPage<Row extends Keyed>(
  page: ResourcePage<Row>,
  weights: Map<string, number>,
  maxWeight: number,
  sort: ResourceQuery['sort'],
): ResourcePage<Row> {
  let related = 0;
  const tooMany = page.resources.findIndex(({ id }, index) => {
    related += weights.get(id) ?? 0;
    return index > 0 && related > maxWeight;
  });
  if (tooMany === -1) return page;
  const resources = page.resources.slice(0, tooMany);
  return { total: page.total, resources, next: toPosition(resources.at(-1)!, sort) };
}

interface Listing {
  rows: 'users as u' | 'groups as g';
  alias: 'u' | 'g';
  type: ResourceTypeName;
  /** Maintained by every change, so that a list without a filter need not count rows. */
  countColumn: 'user_count' | 'group_count';
}

export const userListing: Listing = { rows: 'users as u', alias: 'u', type: 'User', countColumn: 'user_count' };
export const groupListing: Listing = { rows: 'groups as g', alias: 'g', type: 'Group', countColumn: 'group_count' };

export interface Keyed {
  id: string;
  sort_key: string;
}

interface Measured extends Keyed {
  /** The number of rows before the page was cut to `maxPageWeight`. */
  fetched: number;
  /** The memory of the row, and of the rows before it. */
  weight: number;
  weight_before: number | string;
}

/** Memory limit of a page, in bytes. A page that would exceed it ends early, but has at least one row. */
const maxPageWeight = 8_388_608;

/** Estimates the memory of a page before it is read. Most rows are far smaller than the limit. */
export const toPageWeight = (rows: number, maxWeight: number): number => Math.min(maxWeight, (rows + 1) * 8_192);

/** The memory of a page after it was read. */
function weighPage(rows: Keyed[], expected: number): number {
  const { weight_before: before, weight } = (rows.at(-1) ?? { weight_before: 0, weight: 0 }) as Measured;
  return Math.min(expected, 8_192 + Number(before) + weight);
}

/** Reads a page of a directory's rows in a stable order: by the sort key, if any, then by ID, which is the order of creation. */
export async function listRows<Row extends { id: string }>(
  db: Knex,
  listing: Listing,
  directoryId: string,
  { filter, sort, page }: ResourceQuery,
): Promise<ResourcePage<Row>> {
  const matching = db(listing.rows).where({ [`${listing.alias}.directory_id`]: directoryId });
  if (filter) {
    const { sql, bindings } = compileFilter(filter, listing.type);
    void matching.whereRaw(sql, bindings);
  }
  const count = () => (filter ? countRows(matching.clone()) : countAll(db, listing, directoryId));
  if (page.limit === 0) return { resources: [], total: await count() };

  const rows = await selectPage<Row>(db, listing, matching.clone(), { sort, page });
  const shown = rows.slice(0, page.limit);
  const [first] = rows;
  const hasMore = first !== undefined && first.fetched > shown.length;
  const isWhole = 'offset' in page && !hasMore && (first !== undefined || page.offset === 0);
  return {
    resources: shown,
    total: isWhole ? page.offset + shown.length : await count(),
    ...(hasMore && { next: toPosition(shown.at(-1)!, sort) }),
  };
}

/** Reads one row more than the page has, to know whether there is a next page. */
async function selectPage<Row>(
  db: Knex,
  { alias, type }: Listing,
  matching: Knex.QueryBuilder,
  { sort, page }: Pick<ResourceQuery, 'sort' | 'page'>,
): Promise<(Row & Measured)[]> {
  const key = sort ? compileSort(sort.path, type) : { sql: `''`, bindings: {} };
  const keyed = db
    .from(matching.select(`${alias}.*`, db.raw(`(${key.sql}) as sort_key`, key.bindings)).as('keyed'))
    .select('*')
    .limit(page.limit + 1);
  if ('offset' in page) void keyed.offset(page.offset);
  else if (page.after) startAfter(keyed, page.after, sort);
  inOrder(keyed, sort);
  // Postgres measures the rows before it sends them.
  const order = `${sort ? `${byKey(sort)}, ` : ''}${byId(sort)}`;
  const measured = db
    .from(keyed.as('page'))
    // Measured once, and not for the rows before the page.
    .joinRaw(`cross join lateral (select ${exactDocumentWeight('page.', type === 'User' ? 'users' : 'groups')} as weight offset 0) weighed`)
    .select(
      '*',
      db.raw('count(*) over () as fetched'),
      db.raw(`coalesce(sum(weight) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as weight_before`),
    );
  return inOrder(db.from(measured.as('measured')).where('weight_before', '<', maxPageWeight).select('*'), sort);
}

type Sort = ResourceQuery['sort'];

const direction = (sort: Sort) => (sort?.descending ? 'desc' : 'asc');
const byKey = (sort: NonNullable<Sort>) => `sort_key collate "C" ${direction(sort)}`;
const byId = (sort: Sort) => `id ${direction(sort)}`;

const inOrder = (rows: Knex.QueryBuilder, sort: Sort) => (sort ? rows.orderByRaw(byKey(sort)) : rows).orderByRaw(byId(sort));

function startAfter(rows: Knex.QueryBuilder, { id, sortKey = '' }: Position, sort: Sort): void {
  if (!sort) return void rows.where('id', '>', id);
  void rows.whereRaw(`(sort_key collate "C", id) ${sort.descending ? '<' : '>'} (:sortKey, cast(:id as uuid))`, { sortKey, id });
}

const toPosition = ({ id, sort_key: sortKey }: Keyed, sort: Sort): Position => (sort ? { id, sortKey } : { id });

async function countRows(matching: Knex.QueryBuilder): Promise<number> {
  const [row] = await matching.count<{ count: number }[]>('* as count');
  return row!.count;
}

async function countAll(db: Knex, { countColumn }: Listing, directoryId: string): Promise<number> {
  const row = await db('directories').where({ id: directoryId }).first<Record<string, number> | undefined>(countColumn);
  return row?.[countColumn] ?? 0;
}
