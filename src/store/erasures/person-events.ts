import type { Knex } from 'knex';

/** Events per step. A page of large events ends earlier. */
const maxEvents = 2_000;
const maxBytes = 33_554_432;

/** The last sequence of the next window of events; undefined at the end. Reads sizes only. */
export async function nextWindow(
  db: Knex,
  { directoryId, after, last }: { directoryId: string; after: number; last: number },
): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: [{ end: number | null }] }>(
    `select max(sequence) as end from (
       select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place from (
         select sequence, bytes from stored_events where directory_id = :directoryId and sequence > :after and sequence <= :last
         order by directory_id, sequence limit :maxEvents
       ) next
     ) weighed where total <= :maxBytes or place = 1`,
    { directoryId, after, last, maxEvents, maxBytes },
  );
  return rows[0].end ?? undefined;
}

/** SQL: whether the event `e`, a row of `stored_events`, is about the user with the ID `:publicId`. A large user is in a document. */
export const concernsUser = `e.data is not null and (e.data ->> 'id' = :publicId or exists (
    select from event_documents u where u.directory_id = e.directory_id and u.id = e.user_document and u.data ->> 'id' = :publicId))`;

/** SQL: whether the body of the delivery `b` contains the ID. Bodies are written by `JSON.stringify`. */
export const namesUser = 'b.body is not null and strpos(b.body, :quotedId) > 0';
export const quote = (publicId: string) => JSON.stringify(publicId);
