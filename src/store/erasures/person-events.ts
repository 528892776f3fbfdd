import type { Knex } from 'knex';
import type { FormerNames } from '../../directory/erasure/find-person.ts';

/** Limits the bodies on a page of an export. A page that would exceed it ends early, but has at least one body. */
export const maxPageBytes = 4_194_304;

/** Events per step. A page of large events ends earlier. */
const maxEvents = 2_000;
const maxBytes = 33_554_432;

/** SQL: whether an event may be about a user but does not say so, because an earlier version wrote it or an erasure cleared it. As its index. */
export const hasNoUserKey = `user_id is null and type not in ('group.created', 'group.updated', 'group.deleted')`;

/** Returns the last sequence of the next window of events, oldest first; undefined at the end. Reads only sizes. */
export async function nextWindow(
  db: Knex,
  { directoryId, after, last, condition = 'true' }: { directoryId: string; after: number; last: number; condition?: string },
): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: [{ end: number | null }] }>(
    `select max(sequence) as end from (
       select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place from (
         select sequence, bytes from stored_events where directory_id = :directoryId and sequence > :after and sequence <= :last and ${condition}
         order by directory_id, sequence limit :maxEvents
       ) next
     ) weighed where total <= :maxBytes or place = 1`,
    { directoryId, after, last, maxEvents, maxBytes },
  );
  return rows[0].end ?? undefined;
}

/** Returns the first sequence of the window of events before a sequence; undefined at the beginning. */
export async function windowBefore(
  db: Knex,
  { directoryId, before, condition = 'true' }: { directoryId: string; before: number; condition?: string },
): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: [{ start: number | null }] }>(
    `select min(sequence) as start from (
       select sequence, sum(coalesce(bytes, 4096)) over (order by sequence desc) as total, row_number() over (order by sequence desc) as place from (
         select sequence, bytes from stored_events where directory_id = :directoryId and sequence < :before and ${condition}
         order by directory_id desc, sequence desc limit :maxEvents
       ) next
     ) weighed where total <= :maxBytes or place = 1`,
    { directoryId, before, maxEvents, maxBytes },
  );
  return rows[0].start ?? undefined;
}

/** SQL: whether the event `e`, a row of `stored_events`, is about the user with the ID `:publicId`. A large user is in a document. */
export const concernsUser = `e.data is not null and (e.data ->> 'id' = :publicId or exists (
    select from event_documents u where u.directory_id = e.directory_id and u.id = e.user_document and u.data ->> 'id' = :publicId))`;

/** SQL: whether the body of the delivery `b` contains the ID. Bodies are written by `JSON.stringify`. */
export const namesUser = 'b.body is not null and strpos(b.body, :quotedId) > 0';
export const quoteId = (publicId: string) => JSON.stringify(publicId);

const maxNames = 1_000;
const maxNameLength = 1_000;

/** Counts the events of a window that have more than the user's ID, and reads the names of the user in them. */
export async function readNames(
  db: Knex,
  { directoryId, publicId, after, end }: { directoryId: string; publicId: string; after: number; end: number },
): Promise<FormerNames & { events: number }> {
  const { rows } = await db.raw<{ rows: [{ events: number; names: { value: string; is_external: boolean }[] | null }] }>(
    `with own as materialized (
       select e.data || coalesce(d.data, '{}') as data
       from stored_events e left join event_documents d on d.directory_id = e.directory_id and d.id = e.user_document
       where e.directory_id = :directoryId and e.sequence > :after and e.sequence <= :end and ${concernsUser}
     ), named as (
       select distinct n.value, n.is_external from own cross join lateral (
         select own.data -> 'raw' ->> 'userName' as value, false as is_external
         union all select own.data ->> 'email', false
         union all select own.data -> 'raw' ->> 'externalId', true
         union all select address ->> 'value', false from jsonb_path_query(own.data, '$.raw.emails[*]') address
       ) n where n.value <> '' and length(n.value) <= :maxNameLength limit :maxNames
     )
     select (select count(*) from own where own.data -> 'raw' is distinct from jsonb_build_object('id', cast(:publicId as text))) as events,
        (select json_agg(named order by value) from named) as names`,
    { directoryId, publicId, after, end, maxNames, maxNameLength },
  );
  const { events, names } = rows[0];
  const ofKind = (isExternal: boolean) => (names ?? []).filter((name) => name.is_external === isExternal).map(({ value }) => value);
  return { events, values: ofKind(false), externalIds: ofKind(true) };
}
