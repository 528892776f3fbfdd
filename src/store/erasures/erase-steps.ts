import type { Knex } from 'knex';
import type { ErasedCounts } from '../../directory/erasure/ports.ts';
import { clearRuns } from '../syncs/staging.ts';
import { deleteSomeRows } from '../files/delete-rows.ts';
import { discardSets } from '../files/discard-sets.ts';
import { valueKeysOf } from '../../directory/erasure/find-person.ts';
import { lowestId } from '../../ids.ts';
import { subjectOf } from '../../directory/recorded-requests/user-requests.ts';
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
const eventsPerStep = 2_000;
const stagedPerStep = 2_000;
const userRequestsPerStep = 5_000;
const maxValueKeys = 1_000;

/** SQL of the body that replaces that of an undelivered event: the same fields, with the ID only. */
const erasedData = `jsonb_build_object('id', cast(:publicId as text), 'first_name', '', 'last_name', '', 'email', '', 'active', false,
    'raw', jsonb_build_object('id', cast(:publicId as text)), 'reason', e.data -> 'reason')
  || case when e.data -> 'group' is null then '{}' else jsonb_build_object('group', e.data -> 'group') end`;

/**
 * A delivered event loses its body, as after retention. An undelivered event keeps the ID: deliveries
 * must have no gaps, and the application must learn of the deletion. The names in the events are needed until `eraseRequests` has run.
 */
export const eraseEvents: EraseStep = async (
  trx,
  { directory_id: directoryId, user_id: userId, public_id: publicId, position, up_to_sequence: last, value_keys: known },
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
       update stored_events e set data = case when e.sequence <= edge.acked then null else ${erasedData} end, user_document = null, user_id = null,
         group_document = case when e.sequence <= edge.acked then null else e.group_document end
       from edge
       where e.directory_id = :directoryId and e.sequence > :after and e.sequence <= :end and ${concernsUser}
       returning e.sequence > edge.acked as is_undelivered
     )
     select count(*) as events, count(*) filter (where is_undelivered) as undelivered from erased`,
    { directoryId, userId, publicId, after, end },
  );
  return { position: end, counts: { events: rows[0].events, undelivered_events: rows[0].undelivered }, columns: { value_keys: valueKeys } };
};

/** The directory must be locked. A pending member may have any former name of the person. */
export const erasePendingMembers: EraseStep = async (trx, { directory_id: directoryId, value_keys: valueKeys }) => ({
  counts: { pending_members: await dropPendingMembers(trx, directoryId, valueKeys ?? []) },
});

/**
 * Erases whole bodies, also those with several events, and the responses of the receiver.
 * Without its body, a given-up replay cannot be retried.
 */
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
  { directory_id: directoryId, user_id: userId, public_id: publicId, position, up_to_sequence: upTo },
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
  const hasMore = count === documentsPerStep || (await unlinkEvents(trx, { directoryId, userId, upTo }));
  return { ...(hasMore && { position: last ?? after }), counts: { documents: erased } };
};

/**
 * No event keeps whom it was about. Those that lost their bodies in another way than by this erasure, even while it ran, do so too. Returns
 * whether there may be more.
 */
async function unlinkEvents(
  trx: Knex.Transaction,
  { directoryId, userId, upTo }: { directoryId: string; userId: string; upTo: number },
): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update stored_events set user_id = null where directory_id = :directoryId and sequence in (
       select sequence from stored_events where directory_id = :directoryId and user_id = :userId and sequence <= :upTo
       order by sequence limit :eventsPerStep)`,
    { directoryId, userId, upTo, eventsPerStep },
  );
  return rowCount === eventsPerStep;
}

/**
 * A recorded request can name a person in many ways: in a filter, in a Bulk, in a group, in escaped characters. So all requests of the
 * directory are deleted; there are about 100. Of those that are kept for each user, the person's are deleted, and all others lose
 * their query and error. The first call stores a time limit, which later writers respect. The second call deletes: the caller has
 * locked the directory again, so earlier writers have ended.
 */
export const eraseRequests: EraseStep = async (
  trx,
  { directory_id: directoryId, user_id: userId, public_id: publicId, value_keys: valueKeys, position },
) => {
  if (position === null) return { position: 'announced', columns: { requests_until: trx.raw('clock_timestamp()') } };
  if (position !== 'announced') return clearUserRequests(trx, directoryId, position as ClearedUpTo);
  const requests = await trx('scim_requests').where({ directory_id: directoryId }).delete();
  await trx('directory_pushes').where({ directory_id: directoryId }).whereNotNull('last_error').update({ last_error: null });
  const ofUser = await eraseUserRequests(trx, directoryId, [userId, publicId, ...(valueKeys ?? [])]);
  return { position: { id: lowestId, subject: lowestId }, counts: { requests: requests + ofUser }, columns: { value_keys: null } };
};

interface ClearedUpTo {
  id: string;
  subject: string;
}

/** A query or an error may name anybody. `chr(63)` is the question mark, which would be a binding. */
async function clearUserRequests(trx: Knex.Transaction, directoryId: string, after: ClearedUpTo): ReturnType<EraseStep> {
  const { rows } = await trx.raw<{ rows: [{ count: number; last: ClearedUpTo | null }] }>(
    `with page as materialized (
       select id, subject, detail is not null or strpos(path, chr(63)) > 0 as is_changed from user_requests
       where directory_id = :directoryId and (id, subject) > (cast(:id as uuid), cast(:subject as uuid))
       order by directory_id, id, subject limit :userRequestsPerStep
     ), cleared as (
       update user_requests r set detail = null, path = split_part(r.path, chr(63), 1)
       from page where r.directory_id = :directoryId and r.id = page.id and r.subject = page.subject and page.is_changed
     )
     select (select count(*) from page) as count,
       (select json_build_object('id', id, 'subject', subject) from page order by id desc, subject desc limit 1) as last`,
    { directoryId, ...after, userRequestsPerStep },
  );
  const { count, last } = rows[0];
  return count === userRequestsPerStep ? { position: last } : {};
}

/**
 * A request that failed to create the user is kept under each of its names, and its detail may have another one. The
 * operations of a Bulk request are about different users.
 */
async function eraseUserRequests(trx: Knex.Transaction, directoryId: string, names: string[]): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `with own as (
       select id, subject, is_shared or path like '/Bulk%' as has_others from user_requests where subject = any(cast(:subjects as uuid[])) and directory_id = :directoryId
     )
     delete from user_requests r using own
     where r.directory_id = :directoryId and r.id = own.id and (r.subject = own.subject or not own.has_others)`,
    { directoryId, subjects: [...new Set(names.map(subjectOf))] },
  );
  return rowCount;
}

/** Files that wait are deleted too: they must be uploaded again. */
export const waitForStaged: EraseStep = async (trx, { directory_id: directoryId, deleted_at: deletedAt }) => {
  if (await clearRuns(trx)(directoryId, stagedPerStep)) return { position: 'clearing' };
  await discardSets(trx, directoryId, deletedAt);
  if ((await deleteSomeRows(trx)(stagedPerStep, directoryId)) > 0) return { position: 'clearing' };
  await trx('staged_mutations')
    .where({ directory_id: directoryId })
    .whereRaw(`created_at < now() - interval '10 minutes'`)
    .where('created_at', '<=', deletedAt)
    .delete();
  const { rows } = await trx.raw<{ rows: [{ waits: boolean }] }>(
    `select exists (select from staged_mutations where directory_id = :directoryId and created_at <= :deletedAt)
       or exists (
         select from sync_runs r where r.directory_id = :directoryId and not r.is_cleared and r.requested_at <= :deletedAt
           and exists (select from sync_users s where s.run_id = r.id))
       or exists (select from file_sets where directory_id = :directoryId and created_at <= :deletedAt)
       or exists (select from uploaded_files where directory_id = :directoryId and created_at <= :deletedAt) as waits`,
    { directoryId, deletedAt },
  );
  return rows[0].waits ? { waits: true } : {};
};
