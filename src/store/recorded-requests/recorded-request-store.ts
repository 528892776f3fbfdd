import type { Knex } from 'knex';
import type { RecordedRequestStore } from '../../directory/ports.ts';
import { type RecordedRequest, keptPerDirectory } from '../../directory/recorded-requests/recorded-request.ts';
import type { UserRequestStore } from '../../directory/recorded-requests/user-requests.ts';
import { addPushes } from '../activity/directory-hours.ts';
import type { RunRead } from '../sql/run-read.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { mapPage, toContinuedPage } from '../../directory/page.ts';
import { type RecordedRequestRow, matching, toRecordedRequest } from './recorded-request-rows.ts';
import { recordRejectedSecrets } from './rejected-secrets.ts';
import { presentDirectories } from './present-directories.ts';
import { createUserRequestStore, dropExpiredUserRequests } from './user-request-store.ts';

interface RecordedRequestStoreDeps {
  db: Knex;
  runRead: RunRead;
  memory: ResponseMemory;
}

/** The estimated memory of a row with its body. */
const rowBytes = 20_480;

export function createRecordedRequestStore({ db, runRead, memory }: RecordedRequestStoreDeps): RecordedRequestStore & UserRequestStore {
  return {
    ...createUserRequestStore({ db, runRead, memory }),

    async add(requests) {
      // Never waits for locks: skips directories that are being deleted, and rows that another process is trimming. What waited to be
      // written while a user was erased is about that user, or may be.
      await db.raw(
        `with ${presentDirectories}, sent as (
           select r.* from json_to_recordset(cast(:rows as json)) as r(
             directory_id uuid, id uuid, at timestamptz, method text, path text, status integer, scim_type text, detail text,
             duration_ms integer, request_id text, user_agent text, content_type text, body text, body_state text, body_bytes integer
           ) join present on present.id = r.directory_id and r.at > present.erased_at
         ), surplus as (
           select r.directory_id, r.id from scim_requests r where (r.directory_id, r.id) in (
             select o.directory_id, o.id from (select directory_id, count(*) as new from sent group by directory_id) s
               cross join lateral (
                 select directory_id, id from scim_requests where directory_id = s.directory_id
                   order by directory_id desc, id desc offset greatest(:kept - s.new, 0)
               ) o
           ) for update skip locked
         ), trimmed as (
           delete from scim_requests r using surplus s where r.directory_id = s.directory_id and r.id = s.id
         )
         insert into scim_requests (directory_id, id, at, method, path, status, scim_type, detail, duration_ms, request_id, user_agent,
           content_type, body, body_state, body_bytes)
         select directory_id, id, at, method, path, status, scim_type, detail, duration_ms, request_id, user_agent,
           content_type, body, body_state, body_bytes from sent`,
        {
          directoryIds: [...new Set(requests.map(({ directoryId }) => directoryId))],
          rows: JSON.stringify(requests.map(toRow)),
          kept: keptPerDirectory,
        },
      );
      await recordLastPushes(db, requests);
    },

    count: (counted) => addPushes(db, counted),
    rejectSecrets: (rejected) => recordRejectedSecrets(db, rejected),

    async dropExpired(keptMs, limit) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from scim_requests where (directory_id, id) in (
           select directory_id, id from scim_requests where at < now() - :keptMs * interval '1 millisecond' order by at limit :limit)`,
        { keptMs, limit },
      );
      const ofUsers = await dropExpiredUserRequests(db, keptMs, limit);
      if (Math.max(rowCount, ofUsers) < limit)
        await db.raw(
          `update directory_pushes set last_error = null
           where cast(last_error ->> 'at' as timestamptz) < now() - :keptMs * interval '1 millisecond'`,
          { keptMs },
        );
      return Math.max(rowCount, ofUsers);
    },

    async list(directoryId, page, filter) {
      // Concurrent processes may leave more rows than `keptPerDirectory` for a moment.
      const left = 'after' in page ? keptPerDirectory : Math.max(0, keptPerDirectory - page.offset);
      const limit = Math.min(page.limit, left);
      const count = Math.min(limit + 1, left);
      const rows = await memory.read(
        directoryId,
        count * rowBytes,
        () =>
          runRead({ cost: 'page', directoryId, isBounded: true }, async (reading) => {
            const requests = reading('scim_requests')
              .where({ directory_id: directoryId })
              .whereRaw(matching(filter))
              .orderBy('id', 'desc')
              .limit(count)
              .select<RecordedRequestRow[]>('*');
            return 'after' in page ? requests.where('id', '<', page.after) : requests.offset(page.offset);
          }),
        (found) => found.reduce((sum, { body }) => sum + 1_024 + (body?.length ?? 0), 0),
      );
      return mapPage(
        toContinuedPage(rows, limit, ({ id }) => id),
        toRecordedRequest,
      );
    },

    async get(directoryId, id) {
      const [row] = await memory.read(directoryId, rowBytes, () =>
        runRead({ cost: 'page', directoryId, isBounded: true }, async (reading) =>
          reading('scim_requests').where({ directory_id: directoryId, id }).select<RecordedRequestRow[]>('*'),
        ),
      );
      return row && toRecordedRequest(row);
    },
  };
}

/** Records the newest request of each directory, and its newest failed one. */
async function recordLastPushes(db: Knex, requests: RecordedRequest[]): Promise<void> {
  const newest = new Map<string, { directory_id: string; at: Date; error: object | null }>();
  for (const { directoryId, at, status, method, path, detail = '' } of requests) {
    const former = newest.get(directoryId)?.error ?? null;
    newest.set(directoryId, { directory_id: directoryId, at, error: status >= 400 ? { at, method, path, status, detail } : former });
  }
  await db.raw(
    `with ${presentDirectories}
     insert into directory_pushes as p (directory_id, last_push_at, last_error)
     select present.id, r.at, case when cast(r.error ->> 'at' as timestamptz) > present.erased_at then r.error end from jsonb_to_recordset(cast(:rows as jsonb)) as r(directory_id uuid, at timestamptz, error jsonb)
       join present on present.id = r.directory_id order by present.id
     on conflict (directory_id) do update set last_push_at = greatest(p.last_push_at, excluded.last_push_at),
       last_error = case when coalesce(p.last_error->>'at', '') > coalesce(excluded.last_error->>'at', '') then p.last_error
         else excluded.last_error end`,
    { directoryIds: [...newest.keys()], rows: JSON.stringify([...newest.values()]) },
  );
}

const toRow = (request: RecordedRequest) => ({
  directory_id: request.directoryId,
  id: request.id,
  at: request.at,
  method: request.method,
  path: request.path,
  status: request.status,
  scim_type: request.scimType,
  detail: request.detail,
  duration_ms: request.durationMs,
  request_id: request.requestId,
  user_agent: request.userAgent,
  content_type: request.contentType,
  body: request.body,
  body_state: request.bodyState,
  body_bytes: request.bodyBytes,
});
