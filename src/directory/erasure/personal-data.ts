import { currentlyActing } from '../../audit/audit-scope.ts';
import type { Act } from '../../audit/act.ts';
import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { directoryNotFound, notFound } from '../errors.ts';
import type { Directory } from '../directories/directory.ts';
import type { DirectoryStore, UserStore } from '../ports.ts';
import type { RecordedRequest } from '../recorded-requests/recorded-request.ts';
import { subjectOf, type UserRequestStore } from '../recorded-requests/user-requests.ts';
import { normalize } from '../resources/resource-ids.ts';
import {
  createExportUser,
  type ExportChoice,
  type ExportedItem,
  type ExportedUser,
  type ExportPosition,
  type PersonExportStore,
} from './export-user.ts';
import { findPerson, type Person, valueKeysOf } from './find-person.ts';
import type { ErasureStore, UserErasure, UserKey } from './ports.ts';

interface PersonalDataDeps {
  directories: Pick<DirectoryStore, 'get'>;
  users: Pick<UserStore, 'find'>;
  erasures: Pick<ErasureStore, 'request' | 'get' | 'findByRequestedId'>;
  exports: PersonExportStore;
  getUser(directoryId: string, publicId: string): Promise<ExportedUser>;
  listRequests(directoryId: string): Promise<RecordedRequest[]>;
  listForUser: UserRequestStore['listForUser'];
  recordAct(act: Act): Promise<unknown>;
  /** Returns immediately. The sweep makes up for failures. */
  startErasureSoon(user: UserKey): void;
  now?: () => number;
}

export type PersonalData = ReturnType<typeof createPersonalData>;

const recordIntervalMs = 3_600_000;
const maxRecordedExports = 10_000;

/** Exports and erases the data of one person. */
export function createPersonalData(deps: PersonalDataDeps) {
  const { directories, users, erasures, exports, recordAct, startErasureSoon, now = Date.now } = deps;
  const exportUser = createExportUser({
    store: exports,
    getUser: ({ directoryId, publicId, isUser }) => (isUser ? deps.getUser(directoryId, publicId) : Promise.resolve(undefined)),
    listRequests: deps.listRequests,
    listForUser: deps.listForUser,
  });
  let recorded = new Map<string, Promise<unknown>>();
  let recordedSince = -Infinity;

  return {
    /** A page of the export. What is read is recorded before it is returned. */
    async exportPage(
      directoryId: string,
      id: string,
      choice: ExportChoice,
      position: ExportPosition | undefined,
    ): Promise<{ directory: Directory; person: Person; items: ExportedItem[]; next: ExportPosition | undefined }> {
      const directory = await find(directoryId);
      const person = await findPerson({ users, erasures }, directoryId, id);
      await recordExport(person, choice.only, { isFirstPage: position === undefined });
      return { directory, person, ...(await exportUser(person, choice, position)) };
    },

    /**
     * Returns the erasure in progress, if there is one, or the last erasure if there is nothing left to erase. Events of a deleted
     * user may still exist, so the user itself need not.
     */
    async erase(directoryId: string, id: string): Promise<UserErasure> {
      await find(directoryId);
      const person = await findPerson({ users, erasures }, directoryId, id);
      const { userId, publicId } = person;
      if (!person.isUser) {
        const former = await erasures.get(directoryId, userId);
        const isRunning = former && !former.finishedAt;
        if (!isRunning && !(await hasTraces(person))) {
          if (former) return former;
          throw notFound('user');
        }
      }
      const { actor } = currentlyActing();
      const erasure = await erasures.request({
        id: newId(),
        directoryId,
        userId,
        publicId,
        requestedId: [userId, publicId].includes(normalize(id)) ? undefined : id,
        valueKeys: valueKeysOf(person),
        requestedBy: actor,
      });
      if (erasure === 'directory_not_found') throw directoryNotFound();
      if (erasure === 'limit_reached')
        throw new AppError('unavailable', 'The directory has 100 erasures in progress (fixed limit): wait until some have ended.');
      startErasureSoon({ directoryId, userId, erasureId: erasure.id });
      return erasure;
    },

    async getErasure(directoryId: string, id: string): Promise<UserErasure> {
      await find(directoryId);
      const { userId } = await findPerson({ users, erasures }, directoryId, id);
      const erasure = await erasures.get(directoryId, userId);
      if (!erasure) throw notFound('erasure');
      return erasure;
    },
  };

  async function hasTraces(person: Person): Promise<boolean> {
    if ((await exports.findTraces(person)).found !== 'none') return true;
    const { directoryId, userId, publicId } = person;
    const noted = await deps.listForUser(directoryId, [userId, publicId].map(subjectOf), { offset: 0, limit: 1 });
    return noted.resources.length > 0;
  }

  async function find(directoryId: string): Promise<Directory> {
    const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
    if (!directory) throw directoryNotFound();
    return directory;
  }

  /**
   * Records a whole export with its first page. The console reads single sections for each user that it shows, so a section is recorded
   * only once an hour. A cursor does not expire, so a page that is read after the hour is recorded again.
   */
  async function recordExport(
    { directoryId, publicId }: Person,
    only: ExportChoice['only'],
    { isFirstPage }: { isFirstPage: boolean },
  ): Promise<void> {
    if (now() - recordedSince >= recordIntervalMs || recorded.size >= maxRecordedExports) [recorded, recordedSince] = [new Map(), now()];
    const key = `${currentlyActing().actor.id} ${only ?? ''} ${directoryId} ${publicId}`;
    const known = isFirstPage && only === undefined ? undefined : recorded.get(key);
    if (known) return void (await known);
    const recording = recordAct({
      action: 'user.exported',
      directory: { id: directoryId },
      targets: [{ type: 'user', id: publicId }],
      ...(only !== undefined && { changes: { only } }),
    });
    recorded.set(key, recording);
    await recording.catch((error: unknown) => {
      recorded.delete(key);
      throw error;
    });
  }
}
