import type { Knex } from 'knex';
import type { PageAcrossDirectories, Page } from '../../directory/ports.ts';

/** Twice the limit of a SCIM page, since these responses cannot say that a page ended early. */
export const maxAcrossWeight = 16_777_216;

/**
 * Reads a page of rows from several directories, newest first as in Polis: the order of IDs is that of creation. Each directory
 * contributes at most `offset + limit` keys from its primary key index, read backwards. Only the rows of the page are read.
 */
export async function listRowsAcrossDirectories<Row>(
  db: Knex,
  table: 'users' | 'groups',
  directoryIds: string[],
  { offset, limit }: Page,
): Promise<PageAcrossDirectories<Row>> {
  const { rows } = await db.raw<{ rows: (Row & { fetched: number })[] }>(
    `with keys as (
       select k.directory_id, k.id from unnest(cast(:directoryIds as uuid[])) as d(id)
         cross join lateral (
           select directory_id, id from :table: where directory_id = d.id
             order by directory_id desc, id desc limit cast(:offset as bigint) + :limit
         ) k
       order by k.id desc, k.directory_id desc offset :offset limit :limit
     ), measured as (
       select r.*, count(*) over () as fetched, coalesce(sum(json_weight(r.resource) + coalesce(json_weight(r.pushed), 0))
           over (order by r.id desc, r.directory_id desc rows between unbounded preceding and 1 preceding), 0) as weight_before
       from keys join :table: r on r.directory_id = keys.directory_id and r.id = keys.id
     )
     select * from measured where weight_before < :maxAcrossWeight order by id desc, directory_id desc`,
    { table, directoryIds, offset, limit, maxAcrossWeight },
  );
  return { resources: rows, isCut: rows.length > 0 && rows[0]!.fetched > rows.length };
}
