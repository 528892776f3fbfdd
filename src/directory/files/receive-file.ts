import { AppError } from '../../errors.ts';
import { columnOf, type createProblems } from './problems.ts';
import { type FileKind, type FileStore, fileNames, type ParseFile, type UploadedMember, type UploadedRow } from './ports.ts';

interface Receiving {
  store: FileStore;
  parse: ParseFile;
  directoryId: string;
  id: string;
  kind: FileKind;
  charset: string | undefined;
  bytes: AsyncIterable<Uint8Array>;
  problems: ReturnType<typeof createProblems>;
  /** Throws if the disk is low. */
  assertRoom(directoryId: string): void;
}

const rowsPerWrite = 500;
/** In characters: a write holds at least one row. */
const maxWriteLength = 1_000_000;
const membersPerWrite = 20_000;
/** Of a file as it is stored: each row with the names of its columns. */
const maxFileLength = 1_000_000_000;

/** Stores the rows of a file as they arrive, and returns the names of its columns. After the first problem, it only looks for others. */
export async function receiveFile({
  store,
  parse,
  directoryId,
  id,
  kind,
  charset,
  bytes,
  problems,
  assertRoom,
}: Receiving): Promise<string[]> {
  await store.begin(directoryId, { id, kind });
  let [rows, members]: [UploadedRow[], UploadedMember[]] = [[], []];
  let columns: string[] = [];
  let length = 0;
  let count = 0;
  let written = 0;
  const write = async () => {
    assertRoom(directoryId);
    written += length;
    if (written > maxFileLength)
      throw new AppError(
        'payload_too_large',
        `The rows of ${fileNames[kind]}, each with the names of its columns, have more than ${maxFileLength} characters (fixed limit).`,
      );
    if (rows.length > 0)
      for (const line of await store.addRows(directoryId, id, rows))
        problems.add(kind, line, columnOf(columns, 'idp_id'), 'idp_id is there twice: an earlier line has it too.');
    if (members.length > 0 && problems.total() === 0) await store.addMembers(directoryId, id, members);
    [rows, members, length] = [[], [], 0];
  };
  for await (const item of parse(kind, bytes, { charset })) {
    if (item.kind === 'columns') {
      columns = item.names;
      continue;
    }
    if (item.kind === 'problem') {
      problems.add(kind, item.line, item.column, item.message);
      continue;
    }
    count += 1;
    if (item.kind === 'member') {
      members.push(item.member);
      length += item.member.userId.length + item.member.groupId.length;
    } else {
      rows.push(item.row);
      length += lengthOf(item.row);
    }
    if (rows.length >= rowsPerWrite || length >= maxWriteLength || members.length >= membersPerWrite) await write();
  }
  await write();
  if (kind === 'users' && count === 0 && problems.total() === 0)
    problems.add(kind, null, null, `${fileNames.users} has no users. A set without users would remove everybody.`);
  if (kind === 'users')
    problems.addLines(
      kind,
      await store.findRepeatedNames(directoryId, id, problems.limit),
      'email is there twice: an earlier line has it too.',
      columnOf(columns, 'email'),
    );
  await store.end(directoryId, id, count);
  return columns;
}

const lengthOf = ({ cells }: UploadedRow) => Object.entries(cells).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
