/** What a file of a set contains. */
export const fileKinds = ['users', 'groups', 'members'] as const;
export type FileKind = (typeof fileKinds)[number];

export const fileNames: Record<FileKind, string> = { users: 'users.csv', groups: 'groups.csv', members: 'user_groups.csv' };

/** Where a file is wrong, and why. It contains nothing of what the file says. */
export interface FileProblem {
  file: string;
  /** The first line is 1. */
  line: number | null;
  /** The number of the field within the line; the first is 1. */
  column: number | null;
  message: string;
}

export interface UploadedRow {
  externalId: string;
  line: number;
  /** What no other row of the file may have, beside the ID. */
  nameKey: string | undefined;
  /** By column, without empty ones. */
  cells: Record<string, string>;
}

export interface UploadedMember {
  line: number;
  userId: string;
  groupId: string;
}

export type ParsedItem =
  /** Before the first row, unless the first line is wrong. */
  | { kind: 'columns'; names: string[] }
  | { kind: 'row'; row: UploadedRow }
  | { kind: 'member'; member: UploadedMember }
  | { kind: 'problem'; line: number | null; column: number | null; message: string };

/** Reads a file as it arrives. It ends, and throws nothing, where the file cannot be read on: the last item is then a problem. */
export type ParseFile = (
  kind: FileKind,
  bytes: AsyncIterable<Uint8Array>,
  options: { charset: string | undefined },
) => AsyncIterable<ParsedItem>;

/** Lines at which something is wrong: the first of them, and how many there are. */
export interface FoundLines {
  lines: number[];
  total: number;
}

/** Uploaded files in Postgres. */
export interface FileStore {
  /** Undefined: the directory is gone. Fails if too many files of it are being received. */
  begin(directoryId: string, file: { id: string; kind: FileKind }): Promise<void>;
  /** Returns the lines whose ID the file has already. */
  addRows(directoryId: string, fileId: string, rows: UploadedRow[]): Promise<number[]>;
  addMembers(directoryId: string, fileId: string, members: UploadedMember[]): Promise<void>;
  /** Rows after the first one with a name. */
  findRepeatedNames(directoryId: string, fileId: string, limit: number): Promise<FoundLines>;
  end(directoryId: string, fileId: string, rowCount: number): Promise<void>;
  /** Marks files that are not used, so that their rows are deleted. */
  discard(directoryId: string, fileIds: string[]): Promise<void>;

  /** The files of the set that is still open, by kind. */
  findOpen(directoryId: string): Promise<SetFiles>;
  /** Lines of memberships whose user, or group, is in no row of the files. */
  findUnknown(directoryId: string, files: Required<SetFiles>, of: 'users' | 'groups', limit: number): Promise<FoundLines>;
  /** Adds files to the open set. A file of the same kind is replaced. */
  keepOpen(directoryId: string, files: SetFiles): Promise<void>;
  /** Ends the open set, replaces the waiting one, and requests a run. */
  complete(directoryId: string, set: CompleteSet): Promise<CompletedSet>;
  /** Deletes some rows that no run reads any more. Returns how many. */
  deleteSome(limit: number, directoryId?: string): Promise<number>;
}

/** The IDs of files. */
export type SetFiles = Partial<Record<FileKind, string>>;

interface CompleteSet {
  id: string;
  runId: string;
  files: SetFiles;
  isDryRun: boolean;
}

interface CompletedSet {
  /** The run that reads the files, unless another run must end first. */
  runId: string | undefined;
  counts: Record<FileKind, number>;
}

/** What a provider reads of a set of files. */
export interface FileReader {
  /** Undefined: the set has no such file. */
  findFile(directoryId: string, setId: string, kind: FileKind): Promise<string | undefined>;
  listRows(directoryId: string, fileId: string, after: string, limit: number): Promise<Pick<UploadedRow, 'externalId' | 'cells'>[]>;
  /** Parts of a group's members, in the order of their lines. */
  listMembers(
    directoryId: string,
    fileId: string,
    groupId: string,
    afterLine: number,
    limit: number,
  ): Promise<{ line: number; userIds: string[] }[]>;
}
