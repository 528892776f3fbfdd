import type { Knex } from 'knex';
import { findExceeded } from '../../directory/import/find-exceeded.ts';
import type { PolisDirectory } from '../../directory/import/polis-records.ts';
import {
  explains,
  IncompleteChangesError,
  UnstorableError,
  type ImportRecord,
  type ImportTarget,
  type SourceDirectory,
  type WriteOptions,
  type Written,
} from '../../directory/import/ports.ts';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import type { Quotas } from '../../directory/quotas.ts';
import { AppError } from '../../errors.ts';
import { isSameJson } from '../../scim/json.ts';
import { lockSchema } from '../attributes/attribute-store.ts';
import { openDatabase, type Pooler } from '../database.ts';
import { createDirectoryStore } from '../directories/directory-store.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { createEmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { translateOutages } from '../sql/outages.ts';
import { type ImportedRules, readImportedRules } from './imported-rules.ts';
import { emitQueued } from './emit-differences.ts';
import {
  createStaging,
  dropOrphans,
  readStaged,
  readStored,
  resolveConflicts,
  stageGroups,
  stageMemberships,
  stageQueued,
  stageUsers,
} from './staging.ts';
import { writeSetupLinks } from './write-setup-links.ts';
import { recount, writeStaged } from './write-staged.ts';

interface TargetOptions {
  url: string;
  pooler: Pooler;
  secrets: SecretColumns;
  /** Whether events of the operator's webhook are stored when the import announces what it writes. */
  hasOperatorWebhook: boolean;
  quotas: Quotas;
}

/** Stages the rows of a directory in temporary tables and writes them, in one transaction, so that a pooler keeps the session. */
export function openImportTarget({
  url,
  pooler,
  secrets,
  hasOperatorWebhook,
  quotas,
}: TargetOptions): ImportTarget & { close(): Promise<void> } {
  const db = openDatabase(url, { pooler, poolSize: 1, statementTimeoutMs: 0 });
  let open: { trx: Knex.Transaction; directory: SourceDirectory; isPartial: boolean; rules?: ImportedRules } | undefined;
  const current = () => open!;

  async function end(): Promise<void> {
    const ending = open?.trx;
    open = undefined;
    if (ending && !ending.isCompleted()) await ending.rollback();
  }

  const target: ImportTarget = {
    readRecord: async (directoryId) => toRecord(await findRow(db, directoryId)),

    async begin(directory, isPartial) {
      open = { trx: await db.transaction(), directory, isPartial };
      await open.trx.raw(sessionSettings);
      await createStaging(open.trx);
    },
    async stageUsers(users) {
      current().rules = await stageUsers(current().trx, users, current().directory);
    },
    stageGroups: (groups) => stageGroups(current().trx, groups),
    stageMemberships: (memberships) => stageMemberships(current().trx, memberships),
    stageQueued: (events) => stageQueued(current().trx, events),
    dropOrphans: () => dropOrphans(current().trx, current().directory, current().isPartial),
    resolveConflicts: (policy) => resolveConflicts(current().trx, policy),
    readStaged: () => readStaged(current().trx),

    async write(options) {
      const { trx, directory, isPartial, rules } = current();
      try {
        const written = await write(trx, { directory, isPartial, rules: rules ?? noRules, options, secrets, hasOperatorWebhook, quotas });
        if (written === 'changed') return written;
        await trx.commit();
        // `commit` resolves even if Postgres rejects it.
        await trx.executionPromise;
        return written;
      } catch (error) {
        if (isPartial && (error as { code?: unknown }).code === uniqueViolation)
          throw new IncompleteChangesError('Changed rows conflict with others.', { cause: error });
        throw error;
      }
    },
    end,
    readStored: (directoryId) =>
      db.transaction(async (trx) => {
        await trx.raw(sessionSettings);
        return readStored(trx, directoryId);
      }),

    listImported: (source) => listImported(db, source),
    remove: (directoryId, { announces }) =>
      db.transaction((trx) => remove(trx, directoryId, { secrets, emits: hasOperatorWebhook && announces })),
    writeSetupLinks: (links) => db.transaction((trx) => writeSetupLinks(trx, secrets, links)),
    async endFollowing(directoryIds) {
      await db('imported_directories').whereIn('directory_id', directoryIds).update({ followed: false });
    },
  };
  return {
    ...translateOutages(translateUnstorable(target)),
    async close() {
      await end().catch(() => undefined);
      await db.destroy();
    },
  };
}

const uniqueViolation = '23505';

/** Translates errors about values that Postgres cannot store. Its own message may contain personal data. */
function translateUnstorable(target: ImportTarget): ImportTarget {
  const translated = Object.entries(target as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>).map(
    ([name, operation]) =>
      [
        name,
        (...args: unknown[]) =>
          operation(...args).catch((error: unknown) => {
            const { code } = error as { code?: unknown };
            if (typeof code === 'string' && /^(22|23|54)[0-9A-Z]{3}$/.test(code))
              throw new UnstorableError(`Postgres cannot store its rows (${code}).`, { cause: error });
            throw error;
          }),
      ] as const,
  );
  return Object.fromEntries(translated) as unknown as ImportTarget;
}

/** Most statements read whole tables. The transaction may be idle while Polis is read. */
const sessionSettings = `set local enable_seqscan = on; set local lock_timeout = '60s'; set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;

interface RecordRow {
  deleting: boolean;
  is_imported: boolean;
  is_unchanged: boolean;
  /** Whether the settings have not changed since the import. */
  has_same_settings: boolean;
  users: number;
  groups: number;
  memberships: number;
  last_modified: Date | null;
  settings_at: Date | null;
  queued_at: Date | null;
}

async function findRow(db: Knex, directoryId: string): Promise<RecordRow | undefined> {
  const { rows } = await db.raw<{ rows: RecordRow[] }>(
    `select d.deleting_at is not null or d.removing_at is not null as deleting, i.directory_id is not null as is_imported,
       coalesce(i.revision = d.revision, false) as is_unchanged,
       coalesce(i.settings_at, d.created_at) = d.updated_at as has_same_settings, i.users, i.groups, i.memberships, i.last_modified, i.settings_at, i.queued_at
     from all_directories d left join imported_directories i on i.directory_id = d.id where d.id = :directoryId`,
    { directoryId },
  );
  return rows[0];
}

async function listImported(db: Knex, source: string) {
  const rows = await db('directories as d')
    .join('imported_directories as i', 'i.directory_id', 'd.id')
    .where('i.source', source)
    .orderBy('d.id')
    .select<{ id: string; tenant: string; product: string }[]>('d.id', 'd.tenant', 'd.product');
  return rows.map((row) => ({ ...row, polisId: publicDirectoryId(row) }));
}

async function remove(trx: Knex.Transaction, id: string, { secrets, emits }: Pick<DirectoryWrite, 'secrets' | 'emits'>) {
  await trx.raw('select from all_directories where id = :id for no key update', { id });
  if (toRecord(await findRow(trx, id)).state === 'changed') return 'changed';
  await createDirectoryStore(trx, secrets, createEmitOperatorEvent({ isHeard: emits })).remove(id, { force: true });
  return 'removed';
}

function toRecord(row: RecordRow | undefined): ImportRecord {
  if (!row) return { state: 'absent', lastModified: undefined };
  return {
    state: row.deleting ? 'deleting' : !row.is_imported ? 'foreign' : row.is_unchanged ? 'imported' : 'changed',
    lastModified: row.last_modified ?? undefined,
  };
}

const noRules: ImportedRules = { attributes: undefined, roleTable: undefined };

interface WriteRequest extends Pick<TargetOptions, 'secrets' | 'hasOperatorWebhook' | 'quotas'> {
  directory: PolisDirectory;
  isPartial: boolean;
  /** What the attributes and roles of the staged users follow from. */
  rules: ImportedRules;
  options: WriteOptions;
}

async function write(
  trx: Knex.Transaction,
  { directory, isPartial, rules, options, secrets, hasOperatorWebhook, quotas }: WriteRequest,
): Promise<Written | 'changed'> {
  const { id } = directory;
  // A concurrent import waits here, and then finds what this one has written.
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(:id, 0))', { id: `import ${id}` });
  // Before the directory, as whoever changes the schema locks them. Staging may take long, so it holds no lock.
  await lockSchema(trx, directory.product, { isShared: true });
  await trx.raw('select from all_directories where id = :id for no key update', { id });
  if (!isSameJson(rules, await readImportedRules(trx, directory))) throw rulesChanged(isPartial);
  const row = await findRow(trx, id);
  const { state } = toRecord(row);
  if (state === 'changed') return 'changed';
  if (state === 'foreign' || state === 'deleting')
    throw new AppError(
      'invalid_request',
      `The directory ${directory.polisId} was created or deleted in Rollcall during the import: run the import again.`,
    );
  const settingsAt = directory.modifiedAt ?? null;
  const isNewer = row !== undefined && settingsAt !== null && (row.settings_at === null || settingsAt > row.settings_at);
  const hasNewSettings = isNewer && row.has_same_settings;
  await writeDirectory(trx, { directory, secrets, emits: hasOperatorWebhook && options.announces, isNew: !row, hasNewSettings });
  const queued = await emitQueued(trx, id, row?.queued_at ?? null);
  const written = await writeStaged(trx, id, {
    isPartial,
    isNewestFirst: options.isNewestFirst,
    announces: options.announces,
    quotas,
    roleTable: rules.roleTable,
  });
  if (isPartial && !(row && explains(row, written.added, options.counts)))
    throw new IncompleteChangesError('The changed rows do not explain the counts of Polis.');
  const isChanged = !row || hasNewSettings || queued.count > 0 || Object.values(written.changed).some((count) => count > 0);
  const counted = isChanged ? await recount(trx, id) : undefined;
  const exceeded = counted && findExceeded(quotas, counted.usage);
  if (exceeded !== undefined) throw new UnstorableError(exceeded);
  await trx('imported_directories')
    .insert({
      directory_id: id,
      source: options.source,
      revision: counted?.revision ?? trx.raw('(select revision from all_directories where id = ?)', [id]),
      ...options.counts,
      last_modified: options.lastModified ?? null,
      settings_at: !row || hasNewSettings ? settingsAt : row.settings_at,
      queued_at: queued.last ?? row?.queued_at ?? null,
      followed: options.follows,
    })
    .onConflict('directory_id')
    .merge();
  return { ...written, settings: hasNewSettings ? 'written' : isNewer ? 'kept' : 'same', queued: queued.count };
}

function rulesChanged(isPartial: boolean): Error {
  const message = 'The attribute schema, the mapping or the role table was changed in Rollcall during the import: run the import again.';
  return isPartial ? new IncompleteChangesError(message) : new UnstorableError(message);
}

interface DirectoryWrite {
  directory: PolisDirectory;
  secrets: SecretColumns;
  emits: boolean;
  isNew: boolean;
  hasNewSettings: boolean;
}

async function writeDirectory(trx: Knex.Transaction, { directory, secrets, emits, isNew, hasNewSettings }: DirectoryWrite): Promise<void> {
  const store = createDirectoryStore(trx, secrets, createEmitOperatorEvent({ isHeard: emits }));
  const { id, name, deactivated, logWebhookEvents, webhook = null, connection, createdAt, modifiedAt } = directory;
  if (isNew) await store.create(directory);
  else if (hasNewSettings) {
    const imported = connection && {
      accessToken: connection.accessToken,
      refreshToken: connection.refreshToken,
      domain: connection.domain,
    };
    await store.update(id, { name, deactivated, logWebhookEvents, webhook, ...(imported && { connection: imported }) });
  } else return;
  await trx('all_directories')
    .where({ id })
    .update({ created_at: createdAt, updated_at: modifiedAt ?? createdAt });
}
