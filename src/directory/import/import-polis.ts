import { AppError } from '../../errors.ts';
import { ScimError } from '../../scim/errors.ts';
import { pulledType } from '../directories/directory.ts';
import { toResourceKey } from '../resources/resource-ids.ts';
import type { Quotas } from '../quotas.ts';
import { checksumOf } from './checksum.ts';
import { formerDirectoryId } from '../directories/former-ids.ts';
import {
  readDirectory,
  readGroup,
  readMembership,
  readQueuedEvent,
  readUser,
  UnreadableRowError,
  type PolisDirectory,
} from './polis-records.ts';
import {
  IncompleteChangesError,
  kinds,
  UnstorableError,
  type Checksums,
  type ConflictPolicy,
  type Counts,
  type ImportedDirectory,
  type ImportedGroup,
  type ImportedMembership,
  type ImportedUser,
  type ImportRecord,
  type ImportTarget,
  type Kind,
  type PolisRow,
  type PolisSource,
  type QueuedEvent,
  type SourceDirectory,
} from './ports.ts';
import { newDirectoryReport, noCounts, tally, toReport, type DirectoryReport, type ImportReport } from './report.ts';
import { findExceeded } from './find-exceeded.ts';
import { toImportedGroup, toImportedUser, type ProviderRecords } from './to-resources.ts';

export interface ImportDeps {
  source: PolisSource;
  target: ImportTarget;
  quotas: Quotas;
  google: ProviderRecords;
  show(step: { text: string; done?: number; total?: number }): void;
}

export interface ImportOptions {
  tenant?: string | undefined;
  product?: string | undefined;
  isDryRun: boolean;
  onConflict: ConflictPolicy;
  announces: boolean;
  deliversQueued: boolean;
  /** Set while a running Polis is followed, which delivers its queue itself. */
  watch?: Watch;
}

export interface Watch {
  /** `first` and `last` compare everything. The others read only what has changed since the last import. */
  round: 'first' | 'next' | 'last';
  /** The keys of directories that were seen in Polis. One that is gone there is deleted here. */
  seen: Set<string>;
}

/**
 * Imports each directory in one transaction, so that a crash leaves it as it was. Directories that were imported before are compared, and
 * only differences are written.
 */
export async function importPolis(deps: ImportDeps, options: ImportOptions): Promise<ImportReport> {
  const { source, target } = deps;
  const { watch, isDryRun } = options;
  const { directories, reports, keys } = await listDirectories(deps, options);
  if (!watch) await assertNothingQueued(source, directories, options);
  const records = new Map<string, ImportRecord>();
  for (const directory of directories) records.set(directory.id, await findRecord(target, directory));
  for (const directory of directories) reports.push(await importDirectory(deps, directory, records.get(directory.id)!, options));
  const imported = (await target.listImported(source.name)).filter((one) => isWanted(one, options));
  // The directory whose row cannot be read may be any of them.
  if (reports.every(({ id }) => id !== ''))
    for (const directory of imported) if (!keys.has(directory.key)) reports.push(await reportAbsent(target, directory, options));
  for (const key of keys) watch?.seen.add(key);
  if (!isDryRun && !isFollowed(options)) await target.endFollowing(imported.map(({ key }) => key));
  return toReport(source.name, isDryRun, reports);
}

const isFollowed = ({ watch }: ImportOptions): boolean => watch !== undefined && watch.round !== 'last';

const absent = 'It is no longer in Polis: delete it here if it is not needed.';

/** Another Polis may have the same address, so only what was seen there before is deleted. */
async function reportAbsent(
  target: ImportTarget,
  directory: ImportedDirectory,
  { watch, announces }: ImportOptions,
): Promise<DirectoryReport> {
  const report = newDirectoryReport({ ...directory, warnings: [] });
  if (!watch?.seen.has(directory.key)) return { ...report, status: 'skipped', reason: absent };
  if ((await target.remove(directory.key, { announces })) === 'removed') return { ...report, status: 'deleted' };
  return { ...report, status: 'skipped', reason: `${changedHere} ${absent}` };
}

const isWanted = (one: { tenant: string; product: string }, { tenant, product }: ImportOptions): boolean =>
  (tenant === undefined || one.tenant === tenant) && (product === undefined || one.product === product);

/** Directories whose row cannot be read are reported, whatever their tenant: it is unknown. */
async function listDirectories({ source }: ImportDeps, options: ImportOptions) {
  const directories: PolisDirectory[] = [];
  const keys = new Set<string>();
  const reports: DirectoryReport[] = [];
  for await (const rows of source.listDirectories())
    for (const row of rows)
      try {
        const directory = readDirectory(row);
        if (keys.has(directory.key)) throw new UnreadableRowError(row.key, 'another directory has its ID');
        keys.add(directory.key);
        directories.push(directory);
      } catch (error) {
        const report = newDirectoryReport({ id: '', tenant: '', product: '', warnings: [] });
        noteUnreadable(report, error);
        reports.push({ ...report, reason: (error as Error).message });
      }
  const ofOwner = new Map<string, PolisDirectory[]>();
  for (const directory of directories) {
    const owner = JSON.stringify([directory.tenant, directory.product]);
    const siblings = ofOwner.get(owner) ?? [];
    siblings.push(directory);
    ofOwner.set(owner, siblings);
  }
  const wanted = [...ofOwner.values()].flatMap(withSiblings).filter((directory) => isWanted(directory, options));
  return { directories: wanted, reports, keys };
}

function withSiblings(directories: PolisDirectory[]): SourceDirectory[] {
  const owner = directories.length === 1 ? directories[0] : directories.find((one) => one.id === formerDirectoryId(one));
  const siblings = directories.map(({ id }) => id);
  return directories.map((one, index) => ({
    ...one,
    siblings,
    unindexed: one === owner ? 'own' : !owner && index === 0 ? 'report' : 'ignore',
  }));
}

async function assertNothingQueued(source: PolisSource, directories: SourceDirectory[], { deliversQueued }: ImportOptions): Promise<void> {
  if (deliversQueued) return;
  let queued = 0;
  for (const { id } of directories) queued += await source.countQueued(id);
  if (queued > 0)
    throw new AppError(
      'invalid_request',
      `Polis has ${queued} undelivered ${queued === 1 ? 'event' : 'events'} in its queue: let it deliver them, or stop it and pass --deliver-queued so that Rollcall delivers them. Nothing was written.`,
    );
}

async function findRecord(target: ImportTarget, directory: SourceDirectory): Promise<ImportRecord> {
  const record = await target.record(directory);
  if (record.state === 'foreign')
    throw new AppError(
      'invalid_request',
      `The directory ${directory.id} exists here and was not imported from Polis: delete it, or leave it out with --tenant and --product. Nothing was written.`,
    );
  if (record.state === 'deleting')
    throw new AppError(
      'invalid_request',
      `The directory ${directory.id} is being deleted here: try again in a few minutes. Nothing was written.`,
    );
  return record;
}

const nothingImported = 'Nothing of this directory was imported.';
const changedHere = 'It has been changed here since its import, so it was left as it is.';
/** Rows may be committed later than their time says. */
const overlapMs = 600_000;

async function importDirectory(
  deps: ImportDeps,
  directory: SourceDirectory,
  record: ImportRecord,
  options: ImportOptions,
): Promise<DirectoryReport> {
  if (record.state === 'changed') return { ...newDirectoryReport(directory), status: 'skipped', reason: changedHere };
  try {
    return await importDifferences(deps, { directory, record, options, since: undefined });
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    return { ...newDirectoryReport(directory), reason: `${error.message} ${nothingImported}` };
  }
}

interface ImportRequest {
  directory: SourceDirectory;
  record: ImportRecord;
  options: ImportOptions;
  /** Set if only rows that were changed after it are read. */
  since: Date | undefined;
}

async function importDifferences(deps: ImportDeps, request: ImportRequest): Promise<DirectoryReport> {
  const { state, lastModified } = request.record;
  if (request.options.watch?.round === 'next' && state === 'imported' && lastModified) {
    try {
      return await importRows(deps, { ...request, since: new Date(lastModified.getTime() - overlapMs) });
    } catch (error) {
      if (!(error instanceof IncompleteChangesError)) throw error;
    }
  }
  return importRows(deps, request);
}

async function importRows(deps: ImportDeps, request: ImportRequest): Promise<DirectoryReport> {
  const report = newDirectoryReport(request.directory);
  try {
    const rows = await stageRows(deps, request, report);
    const checked = await checkRows(deps, request, { ...rows, report });
    if (checked.problem !== undefined) return { ...report, status: 'failed', reason: `${checked.problem} ${nothingImported}` };
    if (request.options.isDryRun) return { ...report, status: 'planned', queued_events: rows.read.queued };
    return await writeRows(deps, request, { ...rows, ...checked, report });
  } finally {
    await deps.target.end();
  }
}

type StagedKind = Kind | 'queued';

interface StagedRows {
  /** Of the rows in Polis. */
  counts: Counts;
  /** Rows that were read. */
  read: Record<StagedKind, number>;
  /** When the newest row that was read was changed. */
  lastModified: Date | undefined;
}

/** Notes in the report what cannot be read. */
async function stageRows(deps: ImportDeps, { directory, since, options }: ImportRequest, report: DirectoryReport): Promise<StagedRows> {
  const { source, target } = deps;
  const counts = await source.count(directory);
  const reading = createReading(deps, directory, { counts, report, since });
  await target.begin(directory, since !== undefined);
  await target.stageUsers(reading.users());
  await target.stageGroups(reading.groups());
  await target.stageMemberships(reading.memberships());
  if (options.deliversQueued) await target.stageQueued(reading.queued());
  return { counts, read: reading.read, lastModified: reading.lastModified() };
}

/** Returns what prevents the import, or the checksums of all rows. Notes in the report what is dropped. */
async function checkRows(
  { target, quotas }: ImportDeps,
  { since, options }: ImportRequest,
  { read, report }: StagedRows & { report: DirectoryReport },
): Promise<{ problem?: string; checksums?: Checksums }> {
  if (report.unreadable.length > 0) return { problem: describeUnreadable(report.unreadable) };
  const { orphans, elsewhere } = await target.dropOrphans();
  report.orphans = orphans;
  const own = { ...read, memberships: read.memberships - elsewhere };
  Object.assign(report, tally(own, noCounts()));
  if (since) return {};
  report.conflicts = await target.resolveConflicts(options.onConflict);
  const unresolved = report.conflicts.filter(({ kept }) => kept === undefined).length;
  if (unresolved > 0)
    return {
      problem: `${unresolved === 1 ? '1 conflict was found: correct it' : `${unresolved} conflicts were found: correct them`} in Polis, or choose with --on-conflict.`,
    };
  const staged = await target.staged();
  const exceeded = findExceeded(quotas, staged.usage);
  if (exceeded !== undefined) return { problem: exceeded };
  Object.assign(report, tally(own, staged.usage));
  return { checksums: staged.checksums };
}

async function writeRows(
  { source, target, show }: ImportDeps,
  { directory, record, options, since }: ImportRequest,
  { counts, checksums, report, ...rows }: StagedRows & { checksums?: Checksums; report: DirectoryReport },
): Promise<DirectoryReport> {
  show({ text: `Writing ${describeDirectory(directory)}` });
  const written = await target.write({
    source: source.name,
    counts,
    // Rows of a clock that is ahead would hide the changes of the others.
    lastModified: earlier(latest([record.lastModified, rows.lastModified]), new Date()),
    follows: isFollowed(options),
    announces: options.announces,
  });
  if (written === 'changed') return { ...report, status: 'skipped', reason: changedHere };
  const stored = await target.stored(directory.key);
  const isChanged = record.state === 'absent' || kinds.some((kind) => written.changed[kind] > 0) || written.settings === 'written';
  return {
    ...report,
    ...(since && tally(counts, stored.counts)),
    status: isChanged ? 'imported' : 'unchanged',
    changed: written.changed,
    queued_events: written.queued,
    warnings: written.settings === 'kept' ? [...report.warnings, settingsKept] : report.warnings,
    ...(checksums && { checksums: { source: checksums, target: stored.checksums } }),
  };
}

const settingsKept = 'Its settings have been changed here since its import, so those that were changed in Polis were left out.';

const latest = (times: (Date | undefined)[]): Date | undefined =>
  times.reduce((last, time) => (time && (!last || time > last) ? time : last), undefined);

const earlier = (time: Date | undefined, limit: Date): Date | undefined => (time && time > limit ? limit : time);

const describeDirectory = ({ tenant, product }: SourceDirectory) => `${tenant}/${product}`;

/** Reads the rows of a directory and turns them into what is stored. Rows that cannot be read are noted, and the reading goes on. */
function createReading(
  { source, google, quotas, show }: ImportDeps,
  directory: SourceDirectory,
  { counts, report, since }: { counts: Counts; report: DirectoryReport; since: Date | undefined },
) {
  const read = { ...noCounts(), queued: 0 };
  const bytes = { resources: 0, queued: 0 };
  let lastModified: Date | undefined;
  let incomplete = 0;
  const mapping = { provider: directory.type === pulledType ? google : undefined, onIncomplete: () => void (incomplete += 1) };

  async function* convert<Result extends ImportedUser | ImportedGroup | ImportedMembership | QueuedEvent>(
    kind: StagedKind,
    toResult: (row: PolisRow) => Result,
  ): AsyncGenerator<Result[]> {
    const text = `Reading ${kind === 'queued' ? 'queued events' : kind} of ${describeDirectory(directory)}:`;
    for await (const rows of kind === 'queued' ? source.readQueued(directory.id) : source.read(kind, directory, since)) {
      const results: Result[] = [];
      for (const row of rows) {
        try {
          const result = toResult(row);
          results.push(result);
          bytes[kind === 'queued' ? kind : 'resources'] += 'bytes' in result ? result.bytes : 0;
          if (kind !== 'queued') lastModified = latest([lastModified, row.modifiedAt ?? row.createdAt]);
        } catch (error) {
          noteUnreadable(report, error, row.key);
        }
      }
      read[kind] += rows.length;
      assertWithinQuotas();
      show({ text, done: read[kind], ...(!since && kind !== 'queued' && { total: Math.max(counts[kind], read[kind]) }) });
      yield results;
    }
    if (incomplete > 0)
      report.warnings.push(
        `${incomplete === 1 ? `1 ${kind.slice(0, -1)} has` : `${incomplete} ${kind} have`} attributes that SCIM does not allow. They are in raw, and not in SCIM responses.`,
      );
    incomplete = 0;
  }

  return {
    read,
    lastModified: () => lastModified,
    users: () => convert('users', (row) => toImportedUser(readUser(row), mapping)),
    groups: () => convert('groups', (row) => toImportedGroup(readGroup(row), mapping)),
    memberships: () =>
      convert('memberships', (row) => {
        const { groupId, userId } = readMembership(row);
        return { groupId: toResourceKey(groupId), memberId: toResourceKey(userId), checksum: checksumOf(groupId, userId) };
      }),
    queued: () => convert('queued', readQueuedEvent),
  };

  /** Otherwise the rows of one directory could fill the disk before they are counted. The memberships of its siblings are read with its own. */
  function assertWithinQuotas(): void {
    const { users, groups } = read;
    const memberships = Math.ceil(read.memberships / directory.siblings.length);
    const exceeded = findExceeded(quotas, { users, groups, memberships, resourceBytes: bytes.resources, undeliveredBytes: bytes.queued });
    if (exceeded !== undefined) throw new UnstorableError(exceeded);
  }
}

const maxNamed = 100;

function noteUnreadable({ unreadable }: DirectoryReport, error: unknown, ofRow = ''): void {
  const { key, problem } = error instanceof UnreadableRowError ? error : { key: ofRow, problem: describeInvalid(error).replace(/\.$/, '') };
  if (unreadable.length < maxNamed) unreadable.push({ key, problem });
}

/** What is wrong with a resource that no caller of the API could create either. */
function describeInvalid(error: unknown): string {
  if (error instanceof ScimError) return error.details.detail;
  if (error instanceof AppError && error.code === 'invalid_request') return error.message;
  throw error;
}

function describeUnreadable(unreadable: DirectoryReport['unreadable']): string {
  const [first, ...others] = unreadable;
  const more = others.length === 0 ? '' : ` So can't ${others.length}${unreadable.length === maxNamed ? ' or more' : ''} others.`;
  return `${new UnreadableRowError(first!.key, first!.problem).message}${more}`;
}
