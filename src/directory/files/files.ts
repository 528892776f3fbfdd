import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import type { Directory } from '../directories/directory.ts';
import { directoryNotFound } from '../errors.ts';
import type { DirectoryStore } from '../ports.ts';
import { columnOf, createProblems, type InvalidFiles } from './problems.ts';
import { type FileKind, type FileStore, fileNames, type ParseFile, type SetFiles } from './ports.ts';
import { receiveFile } from './receive-file.ts';

interface FilesDeps {
  directories: Pick<DirectoryStore, 'get'>;
  store: FileStore;
  parse: ParseFile;
  /** Starts the queued run. */
  startSync(directoryId: string): Promise<void>;
  /** Why the directory may not take files now, because the disk is low. */
  diskError(directoryId: string): string | undefined;
  onStartFailed(directoryId: string, error: Error): void;
}

export interface UploadOptions {
  /** Another file of the set follows in a request of its own. */
  isPart: boolean;
  /** The set has only the files of this request. */
  isWhole: boolean;
  isDryRun: boolean;
}

export interface Upload {
  runId: string | undefined;
  counts: Record<FileKind, number> | undefined;
}

/** One file as it arrives. */
export interface ArrivingFile {
  kind: FileKind;
  charset: string | undefined;
  bytes: AsyncIterable<Uint8Array>;
}

export type Files = ReturnType<typeof createFiles>;

/** Uploads in progress in this process. */
const maxUploads = 4;
const maxUploadsPerTenant = maxUploads / 2;
const rowsPerDeletion = 5_000;
/** The sweep deletes the others. */
const maxDeletions = 200;

/** Receives the files of directories of type `csv`. Each set of files is one sync run. */
export function createFiles({ directories, store, parse, startSync, diskError, onStartFailed }: FilesDeps) {
  /** The tenants of the directories. */
  const uploading = new Map<string, string>();
  return {
    async assertUploadable(directoryId: string): Promise<void> {
      await findUploadable(directoryId);
    },

    /**
     * Stores the files as they arrive, and requests a run once all of them are right. Nothing is kept of files with problems.
     * `files` throws if the request breaks off.
     */
    async upload(directoryId: string, files: AsyncIterable<ArrivingFile>, options: UploadOptions): Promise<Upload | InvalidFiles> {
      const { tenant } = await findUploadable(directoryId);
      assertRoom(directoryId);
      if (uploading.has(directoryId))
        throw tooMany('Another upload of this directory is in progress (fixed limit: one). Wait until it ends.');
      if (uploading.size >= maxUploads)
        throw tooMany(`${maxUploads} uploads are in progress in this process (fixed limit). Try again soon.`);
      if ([...uploading.values()].filter((other) => other === tenant).length >= maxUploadsPerTenant)
        throw tooMany(`${maxUploadsPerTenant} uploads of this tenant are in progress in this process (fixed limit). Try again soon.`);
      uploading.set(directoryId, tenant);
      try {
        return await receive(directoryId, files, options);
      } finally {
        uploading.delete(directoryId);
      }
    },
  };

  async function findUploadable(directoryId: string): Promise<Directory> {
    const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
    assertUploadable(directory);
    return directory;
  }

  function assertRoom(directoryId: string): void {
    const full = diskError(directoryId);
    if (full !== undefined) throw new AppError('unavailable', full);
  }

  /** At once, so that failed uploads do not fill the disk faster than the sweep deletes. What fails here is left to the sweep. */
  async function discard(directoryId: string, fileIds: string[]): Promise<void> {
    try {
      await store.discard(directoryId, fileIds);
      for (let round = 1; round <= maxDeletions && (await store.deleteSome(rowsPerDeletion, directoryId)) > 0; round += 1);
    } catch {
      // Files without a set become void after an hour.
    }
  }

  async function receive(directoryId: string, files: AsyncIterable<ArrivingFile>, options: UploadOptions): Promise<Upload | InvalidFiles> {
    const problems = createProblems();
    const received: SetFiles = {};
    const begun: string[] = [];
    const columns: Partial<Record<FileKind, string[]>> = {};
    try {
      for await (const { kind, charset, bytes } of files) {
        if (received[kind]) throw new AppError('invalid_request', `${fileNames[kind]} is there twice.`, { field: fileNames[kind] });
        const id = newId();
        begun.push(id);
        received[kind] = id;
        columns[kind] = await receiveFile({ store, parse, directoryId, id, kind, charset, bytes, problems, assertRoom });
      }
      if (begun.length === 0) throw new AppError('invalid_request', 'The request has no file. Send users.csv.');
      if (problems.total() === 0 && options.isPart) {
        await store.keepOpen(directoryId, received);
        return { runId: undefined, counts: undefined };
      }
      const set = options.isWhole ? received : { ...(await store.findOpen(directoryId)), ...received };
      if (problems.total() === 0) await checkSet(directoryId, set, problems, columns.members);
      if (problems.total() > 0) {
        await discard(directoryId, begun);
        return problems.found();
      }
      return await complete(directoryId, set, options);
    } catch (error) {
      if (begun.length > 0) await discard(directoryId, begun);
      throw error;
    }
  }

  /** `columns` are those of user_groups.csv, unless it came in an earlier request. */
  async function checkSet(
    directoryId: string,
    { users, groups, members }: SetFiles,
    problems: ReturnType<typeof createProblems>,
    columns: string[] | undefined,
  ) {
    if (!users) throw incomplete('The set has no users.csv.', 'users.csv');
    if (groups && !members) throw incomplete('groups.csv came without user_groups.csv: send both, or neither.', 'user_groups.csv');
    if (members && !groups) throw incomplete('user_groups.csv came without groups.csv: send both, or neither.', 'groups.csv');
    if (!groups || !members) return;
    for (const [of, column] of [
      ['users', 'user_id'],
      ['groups', 'group_id'],
    ] as const)
      problems.addLines(
        'members',
        await store.findUnknown(directoryId, { users, groups, members }, of, problems.limit),
        `${column} is in no line of ${fileNames[of]}.`,
        columnOf(columns, column),
      );
  }

  async function complete(directoryId: string, set: SetFiles, { isDryRun }: UploadOptions): Promise<Upload> {
    const completed = await store.complete(directoryId, { id: newId(), runId: newId(), files: set, isDryRun });
    // The run is stored: the sweep starts what could not be started.
    await startSync(directoryId).catch((error: Error) => onStartFailed(directoryId, error));
    return completed;
  }
}

function assertUploadable(directory: Directory | undefined): asserts directory {
  if (!directory) throw directoryNotFound();
  if (directory.type !== 'csv')
    throw new AppError('invalid_request', `This directory is of type ${directory.type}: only one of type csv takes files.`);
  if (directory.deactivated) throw new AppError('invalid_request', 'This directory is deactivated: activate it first.');
}

const incomplete = (message: string, field: string) => new AppError('invalid_request', message, { field });
const tooMany = (message: string) => new AppError('rate_limited', message, { retryAfterSeconds: 10 });
