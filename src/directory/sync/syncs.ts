import { AppError } from '../../errors.ts';
import { directoryNotFound, notFound } from '../errors.ts';
import { isId, newId } from '../../ids.ts';
import {
  isAuthorized,
  type Directory,
  type PulledType,
  anyPulledType,
  anyScheduledType,
  isPulledType,
  isScheduledType,
} from '../directories/directory.ts';
import type { DirectoryStore } from '../ports.ts';
import type { SyncRunStore } from './ports.ts';
import { canceledEnd, maxFinishedRuns, nothingToConfirm, type SyncRun, type SyncTrigger } from './sync-run.ts';
import type { ContinuedPage, PageRequest, TimedPosition } from '../page.ts';

export interface SyncsDeps {
  directories: Pick<DirectoryStore, 'get'>;
  runs: SyncRunStore;
  /** Starts the queued run. It is safe to call this more often than needed. */
  startSync(directoryId: string): Promise<void>;
  /** The same for many directories. */
  startSyncs(directoryIds: string[]): Promise<void>;
  /** Returns false if nothing executes the run. */
  cancelSync(directoryId: string, runId: string): Promise<boolean>;
}

export type Syncs = ReturnType<typeof createSyncs>;

/** The operations on the syncs of pulled directories. */
export function createSyncs({ directories, runs, startSync, startSyncs, cancelSync }: SyncsDeps) {
  return {
    /** Starts those of one type. Skips directories that are syncing. */
    async startAll(type: PulledType): Promise<{ directoryId: string; runId: string; isNew: boolean }[]> {
      const requested = await runs.requestAll(type);
      if (requested.length > 0) await startSyncs(requested.map(({ directoryId }) => directoryId));
      return requested;
    },

    async start(directoryId: string, { trigger, confirm }: { trigger: SyncTrigger; confirm?: string | undefined }) {
      const directory = await findPulledDirectory(directories, directoryId, 'synced');
      assertReady(directory);
      const confirms = confirm === undefined ? undefined : await findConfirmed(directory, confirm);
      const requested = await runs.request({ id: newId(), directoryId, trigger, ...(confirms !== undefined && { confirms }) });
      if (!requested) throw directoryNotFound();
      if (!requested.isNew && confirms !== undefined && requested.run.confirms !== confirms)
        throw new AppError(
          'invalid_request',
          `Run ${requested.run.id} is in progress: wait until it ends, or cancel it, and then confirm.`,
          {
            field: 'confirm',
          },
        );
      await startSync(directoryId);
      return requested;
    },

    async list(directoryId: string, page: PageRequest<TimedPosition>): Promise<ContinuedPage<SyncRun, TimedPosition>> {
      await findPulledDirectory(directories, directoryId, 'synced');
      return runs.list(directoryId, page);
    },

    async get(directoryId: string, runId: string): Promise<SyncRun> {
      await findPulledDirectory(directories, directoryId, 'synced');
      return findRun(directoryId, runId);
    },

    async cancel(directoryId: string, runId: string): Promise<SyncRun> {
      await findPulledDirectory(directories, directoryId, 'synced');
      const run = await findRun(directoryId, runId);
      if (run.state === 'needs_confirmation') return refuse(directoryId, runId);
      if (run.state !== 'queued' && run.state !== 'running') throw new AppError('invalid_request', 'This run has already ended.');
      await runs.recordCancellation(directoryId, runId);
      const isReceived = run.state === 'running' && (await cancelSync(directoryId, runId));
      if (isReceived) await runs.notice(directoryId, runId, 'It was canceled, and ends after the current step.');
      else await runs.end(directoryId, runId, canceledEnd);
      return findRun(directoryId, runId);
    },
  };

  async function findRun(directoryId: string, runId: string): Promise<SyncRun> {
    const run = isId(runId) ? await runs.get(directoryId, runId.toLowerCase()) : undefined;
    if (!run) throw notFound('run');
    return run;
  }

  async function refuse(directoryId: string, runId: string): Promise<SyncRun> {
    const later = await runs.refuse(directoryId, runId);
    if (later?.state === 'succeeded')
      throw new AppError('invalid_request', 'A later run has succeeded without it: there is nothing left to cancel.');
    if (later?.state === 'needs_confirmation') throw new AppError('invalid_request', `Run ${later.id} asks again: cancel that one.`);
    if (later) throw new AppError('invalid_request', `Run ${later.id} is in progress: wait until it ends, or cancel it.`);
    return findRun(directoryId, runId);
  }

  async function findConfirmed({ id: directoryId, connection }: Directory, runId: string): Promise<string> {
    const run = await findRun(directoryId, runId);
    if (run.state !== 'needs_confirmation') throw new AppError('invalid_request', nothingToConfirm, { field: 'confirm' });
    if (run.uploadId !== connection?.upload?.setId)
      throw new AppError('invalid_request', 'Other files have replaced those of this run: wait for the run that reads them.', {
        field: 'confirm',
      });
    const { resources: newestFirst } = await runs.list(directoryId, { offset: 0, limit: maxFinishedRuns });
    const place = newestFirst.findIndex(({ id }) => id === run.id);
    if (newestFirst.slice(0, place).some(({ state }) => state === 'succeeded'))
      throw new AppError('invalid_request', 'A later run has succeeded without it: there is nothing left to confirm.', {
        field: 'confirm',
      });
    return run.id;
  }
}

function assertReady({ deactivated, type, connection }: Directory): void {
  if (deactivated) throw new AppError('invalid_request', 'This directory is deactivated: activate it first.');
  if (type === 'csv' && connection && !connection.upload)
    throw new AppError('invalid_request', 'No files wait for a run of this directory: upload them first.');
  if (connection && !isAuthorized(connection))
    throw new AppError(
      'invalid_request',
      connection.authorizationError ?? 'This directory is not authorized yet: send an administrator to its authorization URL first.',
    );
}

/** `purpose` completes the message for a directory that is pushed: it cannot be `synced`. */
export async function findPulledDirectory(
  directories: Pick<DirectoryStore, 'get'>,
  directoryId: string,
  purpose: 'synced' | 'authorized',
): Promise<Directory & { type: PulledType; connection: NonNullable<Directory['connection']> }> {
  const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
  if (!directory) throw directoryNotFound();
  const [fits, any] = purpose === 'synced' ? [isPulledType, anyPulledType] : [isScheduledType, anyScheduledType];
  if (!directory.connection || !isPulledType(directory.type) || !fits(directory.type))
    throw new AppError('invalid_request', `This directory is of type ${directory.type}: only one of type ${any} can be ${purpose}.`);
  return { ...directory, type: directory.type, connection: directory.connection };
}
