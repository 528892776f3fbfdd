import type { Knex } from 'knex';
import { toContinuedPage, type ContinuedPage, type PageRequest } from '../../directory/page.ts';

/** Reads a page of rows, those with the highest IDs first. IDs of version 7 are in the order of creation. */
export async function pageById<Row extends { id: string }>(
  query: Knex.QueryBuilder,
  column: string,
  page: PageRequest<string>,
): Promise<ContinuedPage<Row, string>> {
  void query.orderBy(column, 'desc').limit(page.limit + 1);
  void ('after' in page ? query.where(column, '<', page.after) : query.offset(page.offset));
  return toContinuedPage((await query) as Row[], page.limit, ({ id }) => id);
}
