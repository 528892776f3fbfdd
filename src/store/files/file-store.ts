import type { Knex } from 'knex';
import type { FileKind, FileReader, FileStore, FoundLines, SetFiles, UploadedMember } from '../../directory/files/ports.ts';
import { AppError } from '../../errors.ts';
import { createSemaphore } from '../../shared/semaphore.ts';
import { completeSet, keepOpen } from './complete-set.ts';
import { deleteSomeRows } from './delete-rows.ts';

/** Files of one directory that all processes receive at the same time. Those of a process that died count for 15 minutes. */
const maxReceiving = 60;
/** Of one directory, until they are deleted: used or not. */
const maxStoredFiles = 200;
/** The same in bytes as they are stored. A row is stored with the names of its columns, so it is larger than in its file. */
const defaultMaxStoredBytes = 4_000_000_000;
/** Members of a group in one row. */
const membersPerRow = 5_000;

/** A check of whole files needs much memory: one at a time. */
const checks = createSemaphore(1);

export const createFileStore = (db: Knex, { maxStoredBytes = defaultMaxStoredBytes } = {}): FileStore => ({
  begin: (directoryId, { id, kind }) =>
    db.transaction(async (trx) => {
      // Uploads wait for each other, so that they cannot exceed the limit together.
      await trx.raw(`select pg_advisory_xact_lock(hashtextextended('uploaded files ' || ?, 0))`, [directoryId]);
      const { rows } = await trx.raw<{ rows: [{ receiving: number; files: number; bytes: number }] }>(
        `select count(*) filter (
             where set_id is null and state in ('receiving', 'received') and created_at > now() - interval '15 minutes') as receiving,
           count(*) as files, coalesce(cast(sum(bytes) as bigint), 0) as bytes
         from uploaded_files where directory_id = :directoryId`,
        { directoryId },
      );
      const [{ receiving, files, bytes }] = rows;
      if (files >= maxStoredFiles || bytes >= maxStoredBytes)
        throw new AppError(
          'rate_limited',
          'Earlier files of this directory are still being deleted (fixed limit). Nothing was changed: send the files again in some minutes.',
          { retryAfterSeconds: 120 },
        );
      if (receiving >= maxReceiving)
        throw new AppError(
          'rate_limited',
          `${maxReceiving} files of this directory are being uploaded (fixed limit). Wait until the other uploads end.`,
          {
            retryAfterSeconds: 30,
          },
        );
      await trx('uploaded_files').insert({ directory_id: directoryId, id, kind, state: 'receiving' });
    }),

  async addRows(directoryId, fileId, rows) {
    const items = JSON.stringify(rows);
    const { rows: added } = await db.raw<{ rows: { line: number }[] }>(
      `with ${countBytes} insert into uploaded_rows (directory_id, file_id, external_id, line, name_key, cells)
       select cast(:directoryId as uuid), cast(:fileId as uuid), r."externalId", r.line, r."nameKey", r.cells
       from jsonb_to_recordset(cast(:rows as jsonb)) as r("externalId" text, line integer, "nameKey" text, cells jsonb)
       on conflict do nothing returning line`,
      { directoryId, fileId, rows: items, bytes: Buffer.byteLength(items) },
    );
    if (added.length === rows.length) return [];
    const isNew = new Set(added.map(({ line }) => line));
    return rows.flatMap(({ line }) => (isNew.has(line) ? [] : [line]));
  },

  async addMembers(directoryId, fileId, members) {
    const items = JSON.stringify(byGroup(members));
    await db.raw(
      `with ${countBytes} insert into uploaded_members (directory_id, file_id, group_external_id, first_line, user_external_ids, lines)
       select cast(:directoryId as uuid), cast(:fileId as uuid), m."group", cast(m.lines ->> 0 as integer),
         array(select jsonb_array_elements_text(m.users)), array(select cast(jsonb_array_elements_text(m.lines) as integer))
       from jsonb_to_recordset(cast(:members as jsonb)) as m("group" text, users jsonb, lines jsonb)`,
      { directoryId, fileId, members: items, bytes: Buffer.byteLength(items) },
    );
  },

  findRepeatedNames: (directoryId, fileId, limit) =>
    findLines(
      db,
      `select line from (
         select line, row_number() over (partition by name_key order by line) as place
         from uploaded_rows where directory_id = :directoryId and file_id = :fileId
       ) named where place > 1`,
      { directoryId, fileId, limit },
    ),

  async end(directoryId, fileId, rowCount) {
    await db('uploaded_files')
      .where({ directory_id: directoryId, id: fileId, state: 'receiving' })
      .update({ state: 'received', row_count: rowCount });
  },

  async discard(directoryId, fileIds) {
    await db('uploaded_files').where({ directory_id: directoryId, set_id: null }).whereIn('id', fileIds).update({ state: 'void' });
  },

  async findOpen(directoryId) {
    const rows = await db('uploaded_files as f')
      .join('file_sets as s', (on) => void on.on('s.directory_id', 'f.directory_id').on('s.id', 'f.set_id'))
      .where({ 'f.directory_id': directoryId, 's.state': 'open', 'f.state': 'received' })
      .select<{ kind: FileKind; id: string }[]>('f.kind', 'f.id');
    return toSetFiles(rows);
  },

  findUnknown: (directoryId, files, of, limit) =>
    findLines(
      db,
      of === 'users'
        ? `select m.line from (
             select unnest(user_external_ids) as user_id, unnest(lines) as line from uploaded_members
             where directory_id = :directoryId and file_id = :members
           ) m where not exists (
             select from uploaded_rows u where u.directory_id = :directoryId and u.file_id = :rows and u.external_id = m.user_id)`
        : `select m.line from (
             select group_external_id as group_id, unnest(lines) as line from uploaded_members
             where directory_id = :directoryId and file_id = :members
           ) m where not exists (
             select from uploaded_rows g where g.directory_id = :directoryId and g.file_id = :rows and g.external_id = m.group_id)`,
      { directoryId, members: files.members, rows: files[of], limit },
    ),

  keepOpen: keepOpen(db),
  complete: completeSet(db),
  deleteSome: deleteSomeRows(db),
});

export const createFileReader = (db: Knex): FileReader => ({
  async findFile(directoryId, setId, kind) {
    const row = await db('uploaded_files')
      .where({ directory_id: directoryId, set_id: setId, kind, state: 'received' })
      .first<{ id: string } | undefined>('id');
    return row?.id;
  },

  async listRows(directoryId, fileId, after, limit) {
    const rows = await db('uploaded_rows')
      .where({ directory_id: directoryId, file_id: fileId })
      .where('external_id', '>', after)
      .orderBy('external_id')
      .limit(limit)
      .select<{ external_id: string; cells: Record<string, string> }[]>('external_id', 'cells');
    return rows.map((row) => ({ externalId: row.external_id, cells: row.cells }));
  },

  async listMembers(directoryId, fileId, groupId, afterLine, limit) {
    const rows = await db('uploaded_members')
      .where({ directory_id: directoryId, file_id: fileId, group_external_id: groupId })
      .where('first_line', '>', afterLine)
      .orderBy('first_line')
      .limit(limit)
      .select<{ first_line: number; user_external_ids: string[] }[]>('first_line', 'user_external_ids');
    return rows.map((row) => ({ line: row.first_line, userIds: row.user_external_ids }));
  },
});

const toSetFiles = (rows: { kind: FileKind; id: string }[]): SetFiles => Object.fromEntries(rows.map(({ kind, id }) => [kind, id]));

/** SQL: how much the file takes. */
const countBytes = `counted as (
  update uploaded_files set bytes = bytes + cast(:bytes as bigint) where directory_id = cast(:directoryId as uuid) and id = cast(:fileId as uuid))`;

interface GroupPart {
  group: string;
  users: string[];
  lines: number[];
}

function byGroup(members: UploadedMember[]): GroupPart[] {
  const parts: GroupPart[] = [];
  const open = new Map<string, GroupPart>();
  for (const { groupId, userId, line } of members) {
    let part = open.get(groupId);
    if (!part || part.users.length >= membersPerRow) {
      part = { group: groupId, users: [], lines: [] };
      parts.push(part);
      open.set(groupId, part);
    }
    part.users.push(userId);
    part.lines.push(line);
  }
  return parts;
}

/**
 * Reads whole files with a hash join, which may take a while. Postgres knows nothing about
 * rows that have just come, and would loop over them.
 */
const findLines = (db: Knex, lines: string, { limit, ...bindings }: Record<string, string | number>): Promise<FoundLines> =>
  checks.run(() =>
    db.transaction(async (trx) => {
      await trx.raw(`set local enable_nestloop = off`);
      await trx.raw(`set local enable_seqscan = on`);
      await trx.raw(`set local work_mem = '64MB'`);
      await trx.raw(`set local statement_timeout = '5min'`);
      const { rows } = await trx.raw<{ rows: { line: number; total: number }[] }>(
        `select line, count(*) over () as total from (${lines}) found order by line limit :limit`,
        { ...bindings, limit: limit! },
      );
      return { lines: rows.map(({ line }) => line), total: rows[0]?.total ?? 0 };
    }),
  );
