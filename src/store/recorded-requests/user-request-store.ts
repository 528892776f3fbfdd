import type { Knex } from 'knex';
import type { RequestFilter } from '../../directory/recorded-requests/recorded-request.ts';
import {
  type FoundUserRequest,
  keptPerUser,
  type UserRequest,
  type UserRequestStore,
} from '../../directory/recorded-requests/user-requests.ts';
import { mapPage, type PageRequest, toContinuedPage } from '../../directory/page.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import type { RunRead } from '../sql/run-read.ts';
import { type RecordedRequestRow, matching, toRecordedRequest } from './recorded-request-rows.ts';
import { presentDirectories } from './present-directories.ts';

interface UserRequestStoreDeps {
  db: Knex;
  runRead: RunRead;
  memory: ResponseMemory;
  /** The most rows of a directory. */
  maxRows?: number;
  random?: () => number;
}

/** How many rows a directory gets before its number of rows is checked, on average: the check reads the keys of all its rows. */
const rowsPerCheck = 20_000;
const droppedPerCheck = 50_000;
/** The estimated memory of a row with its body. */
const rowBytes = 20_480;
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function createUserRequestStore({
  db,
  runRead,
  memory,
  maxRows = 1_000_000,
  random = Math.random,
}: UserRequestStoreDeps): UserRequestStore {
  return { addForUsers, listForUser };

  async function addForUsers(requests: UserRequest[]): Promise<void> {
    const rows = new Map<string, number>();
    for (const { directoryId, subjects } of requests) rows.set(directoryId, (rows.get(directoryId) ?? 0) + subjects.length);
    // Never waits for locks, as the statement that writes requests.
    await db.raw(
      `with ${presentDirectories}, sent as (
         select distinct r.directory_id, r.id, cast(s.subject as uuid) as subject, r.at, r.method, r.path, r.status, r.detail, r.duration_ms,
           r.request_id, r.is_shared
         from json_to_recordset(cast(:rows as json)) as r(directory_id uuid, id uuid, subjects json, at timestamptz, method text, path text,
             status integer, detail text, duration_ms integer, request_id text, is_shared boolean)
           join present on present.id = r.directory_id and r.at > present.erased_at
           cross join lateral json_array_elements_text(r.subjects) s(subject)
       ), newest as (
         select *, row_number() over (partition by directory_id, subject order by id desc) as place from sent
       ), surplus as (
         select r.directory_id, r.id, r.subject from user_requests r where (r.directory_id, r.id, r.subject) in (
           select o.directory_id, o.id, o.subject from (select directory_id, subject, count(*) as new from sent group by directory_id, subject) s
             cross join lateral (
               select directory_id, id, subject from user_requests where subject = s.subject and directory_id = s.directory_id
                 order by subject desc, directory_id desc, id desc offset greatest(:kept - s.new, 0)
             ) o
         ) for update skip locked
       ), trimmed as (
         delete from user_requests r using surplus s where r.directory_id = s.directory_id and r.id = s.id and r.subject = s.subject
       )
       insert into user_requests (directory_id, id, subject, at, method, path, status, detail, duration_ms, request_id, is_shared)
       select directory_id, id, subject, at, method, path, status, detail, duration_ms, request_id, is_shared from newest where place <= :kept
       on conflict do nothing`,
      { directoryIds: [...rows.keys()], rows: JSON.stringify(requests.map(toRow)), kept: keptPerUser },
    );
    for (const [directoryId, count] of rows) if (random() < count / rowsPerCheck) await dropSurplus(directoryId);
  }

  async function dropSurplus(directoryId: string): Promise<void> {
    await db.raw(
      `delete from user_requests where (directory_id, id, subject) in (
         select directory_id, id, subject from user_requests where directory_id = :directoryId and id <= (
           select id from user_requests where directory_id = :directoryId order by directory_id desc, id desc offset :maxRows limit 1)
         order by directory_id, id limit :droppedPerCheck for update skip locked)`,
      { directoryId, maxRows, droppedPerCheck },
    );
  }

  async function listForUser(directoryId: string, subjects: string[], page: PageRequest<string>, filter?: RequestFilter) {
    const before = 'after' in page ? page.after : highestId;
    const offset = 'offset' in page ? page.offset : 0;
    const count = page.limit + 1;
    const rows = await memory.read(
      directoryId,
      count * rowBytes,
      () =>
        runRead({ cost: 'page', directoryId, isBounded: true }, async (reading) => {
          const found = await reading.raw<{ rows: FoundRow[] }>(
            `select u.*, r.scim_type, r.user_agent, r.content_type, r.body, coalesce(r.body_state, 'expired') as body_state, r.body_bytes
             from (
               select distinct on (u.id) u.* from unnest(cast(:subjects as uuid[])) k
                 cross join lateral (
                   select * from user_requests where subject = k and directory_id = :directoryId and id < :before and ${matching(filter)}
                   order by subject desc, directory_id desc, id desc limit :all
                 ) u
               order by u.id desc offset :offset limit :count
             ) u left join scim_requests r on r.directory_id = :directoryId and r.id = u.id
             order by u.id desc`,
            { directoryId, subjects, before, all: offset + count, offset, count },
          );
          return found.rows;
        }),
      (found) => found.reduce((sum, { body }) => sum + 1_024 + (body?.length ?? 0), 0),
    );
    return mapPage(
      toContinuedPage(rows, page.limit, ({ id }) => id),
      toFound,
    );
  }
}

/** Deletes old requests, with any subject; returns how many rows. */
export async function dropExpiredUserRequests(db: Knex, keptMs: number, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from user_requests where (directory_id, id, subject) in (
       select directory_id, id, subject from user_requests where at < now() - :keptMs * interval '1 millisecond' order by at limit :limit)`,
    { keptMs, limit },
  );
  return rowCount;
}

interface FoundRow extends Omit<RecordedRequestRow, 'user_agent' | 'content_type'> {
  is_shared: boolean;
  user_agent: string | null;
  content_type: string | null;
}

const toRow = (request: UserRequest) => ({
  directory_id: request.directoryId,
  id: request.id,
  subjects: request.subjects,
  at: request.at,
  method: request.method,
  path: request.path,
  status: request.status,
  detail: request.detail,
  duration_ms: request.durationMs,
  request_id: request.requestId,
  is_shared: request.isShared,
});

/** What the headers said is kept as long as the body. */
const toFound = ({ is_shared: isShared, ...row }: FoundRow): FoundUserRequest => ({
  ...toRecordedRequest({ ...row, user_agent: row.user_agent ?? '', content_type: row.content_type ?? '' }),
  isShared,
});
