import type { Knex } from 'knex';
import type { ErasedCounts } from '../../directory/erasure/ports.ts';
import { clearRuns } from '../syncs/staging.ts';
import { valueKeysOf } from '../../directory/erasure/find-person.ts';
import { dropPendingMembers } from './drop-pending-members.ts';
import type { ErasureRow } from './erasure-row.ts';
import { concernsUser, namesUser, nextWindow, quoteId, readNames } from './person-events.ts';

/** `position`: where the step continues; undefined at its end. `waits`: it must be retried later. `columns`: updates of the erasure's row. */
export type EraseStep = (
  trx: Knex.Transaction,
  erasure: ErasureRow,
) => Promise<{ position?: unknown; counts?: ErasedCounts; waits?: boolean; columns?: object }>;

const deliveriesPerStep = 200;
const documentsPerStep = 500;
const stagedPerStep = 2_000;
const maxValueKeys = 1_000;

/** SQL of the body that replaces that of an undelivered event: the same fields, with the ID only. */
const erasedData = `jsonb_build_object('id', cast(:publicId as text), 'first_name', '', 'last_name', '', 'email', '', 'active', false,
    'raw', jsonb_build_object('id', cast(:publicId as text)), 'reason', e.data -> 'reason')
  || case when e.data -> 'group' is null then '{}' else jsonb_build_object('group', e.data -> 'group') end`;

/**
 * A delivered event loses its body, as after retention. An undelivered event keeps the ID: deliveries must have no gaps, and the application must
 * learn of the deletion. The names in the events are needed until `erasePendingMembers` has run.
 */
export const eraseEvents: EraseStep = async (
  trx,
  { directory_id: directoryId, public_id: publicId, position, up_to_sequence: last, value_keys: known },
) => {
  const after = (position as number | null) ?? 0;
  const end = await nextWindow(trx, { directoryId, after, last });
  if (end === undefined) return {};
  const names = await readNames(trx, { directoryId, publicId, after, end });
  const valueKeys = [...new Set([...(known ?? []), ...valueKeysOf({ publicId, ...names })])].slice(0, maxValueKeys);
  const { rows } = await trx.raw<{ rows: [{ events: number; undelivered: number }] }>(
    `with edge as (
       select coalesce((select acked_sequence from webhook_endpoints where directory_id = :directoryId), 0) as acked
     ), erased as (
       update stored_events e set data = case when e.sequence <= edge.acked then null else ${erasedData} end, user_document = null,
         group_document = case when e.sequence <= edge.acked then null else e.group_document end
       from edge
       where e.directory_id = :directoryId and e.sequence > :after and e.sequence <= :end and ${concernsUser}
       returning e.sequence > edge.acked as is_undelivered
     )
     select count(*) as events, count(*) filter (where is_undelivered) as undelivered from erased`,
    { directoryId, publicId, after, end },
  );
  return { position: end, counts: { events: rows[0].events, undelivered_events: rows[0].undelivered }, columns: { value_keys: valueKeys } };
};

/** The directory must be locked. A pending member may have any former name of the person. */
export const erasePendingMembers: EraseStep = async (trx, { directory_id: directoryId, value_keys: valueKeys }) => ({
  counts: { pending_members: await dropPendingMembers(trx, directoryId, valueKeys ?? []) },
  columns: { value_keys: null },
});

/** Erases whole bodies, also those with several events, and the responses of the receiver. Without its body, a given-up replay cannot be retried. */
export const eraseDeliveries: EraseStep = async (trx, { directory_id: directoryId, public_id: publicId, position }) => {
  const after = (position as { at: string; id: string } | null) ?? { at: '-infinity', id: '' };
  const { rows } = await trx.raw<{ rows: [{ count: number; erased: number; last: { at: string; id: string } | null }] }>(
    `with page as materialized (
       select b.id, b.created_at, b.status not in ('pending') and not (b.status = 'exhausted' and b.kind = 'live') and ${namesUser} as concerns
       from webhook_batches b where b.directory_id = :directoryId and (b.created_at, b.id) > (cast(:at as timestamptz), :id)
       order by b.created_at, b.id limit :deliveriesPerStep
     ), erased as (
       update webhook_batches b set body = null, status = case when b.status = 'exhausted' then 'canceled' else b.status end
       from page where b.directory_id = :directoryId and b.id = page.id and page.concerns returning b.id
     ), attempts as (
       update webhook_attempts a set response_body = null, response_headers = null, error = null
       from erased where a.directory_id = :directoryId and a.batch_id = erased.id
     )
     select (select count(*) from page) as count, (select count(*) from erased) as erased,
       (select json_build_object('at', cast(created_at as text), 'id', id) from page order by created_at desc, id desc limit 1) as last`,
    { directoryId, quotedId: quoteId(publicId), ...after, deliveriesPerStep },
  );
  const { count, erased, last } = rows[0];
  return { ...(count === deliveriesPerStep && { position: last }), counts: { deliveries: erased } };
};

/** Deletes large users that events contained. Documents of a new user with the same ID have a later sequence. */
export const eraseDocuments: EraseStep = async (
  trx,
  { directory_id: directoryId, public_id: publicId, position, up_to_sequence: upTo },
) => {
  const after = (position as string | null) ?? '00000000-0000-0000-0000-000000000000';
  const { rows } = await trx.raw<{ rows: [{ count: number; erased: number; last: string | null }] }>(
    `with page as materialized (
       select id, data ->> 'id' = :publicId and last_sequence <= :upTo as concerns from event_documents
       where directory_id = :directoryId and id > cast(:after as uuid) order by directory_id, id limit :documentsPerStep
     ), erased as (
       delete from event_documents d using page where d.directory_id = :directoryId and d.id = page.id and page.concerns returning d.id
     )
     select (select count(*) from page) as count, (select count(*) from erased) as erased,
       (select id from page order by id desc limit 1) as last`,
    { directoryId, publicId, after, upTo, documentsPerStep },
  );
  const { count, erased, last } = rows[0];
  return { ...(count === documentsPerStep && { position: last }), counts: { documents: erased } };
};

/**
 * A recorded request can name a person in many ways: in a filter, in a Bulk, in a group, in escaped characters. So all requests of the directory
 * are deleted; there are about 100. The first call stores a time limit, which later writers respect. The second call deletes: the caller has
 * locked the directory again, so earlier writers have ended.
 */
export const eraseRequests: EraseStep = async (trx, { directory_id: directoryId, position }) => {
  if (position === null) return { position: 'announced', columns: { requests_until: trx.raw('clock_timestamp()') } };
  const requests = await trx('scim_requests').where({ directory_id: directoryId }).delete();
  await trx('directory_pushes').where({ directory_id: directoryId }).whereNotNull('last_error').update({ last_error: null });
  return { counts: { requests } };
};

/**
 * Large changes and syncs that began before the deletion hold copies, which are deleted when they end. After ten minutes no caller waits for a
 * change, so its copy is deleted here. So are staged rows of ended syncs, which otherwise the next sync would delete.
 */
export const waitForStaged: EraseStep = async (trx, { directory_id: directoryId, deleted_at: deletedAt }) => {
  if (await clearRuns(trx)(directoryId, stagedPerStep)) return { position: 'clearing' };
  await trx('staged_mutations')
    .where({ directory_id: directoryId })
    .whereRaw(`created_at < now() - interval '10 minutes'`)
    .where('created_at', '<=', deletedAt)
    .delete();
  const { rows } = await trx.raw<{ rows: [{ waits: boolean }] }>(
    `select exists (select from staged_mutations where directory_id = :directoryId and created_at <= :deletedAt)
       or exists (
         select from sync_runs r where r.directory_id = :directoryId and not r.is_cleared and r.requested_at <= :deletedAt
           and exists (select from sync_users s where s.run_id = r.id)) as waits`,
    { directoryId, deletedAt },
  );
  return rows[0].waits ? { waits: true } : {};
};
