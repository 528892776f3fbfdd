import { findExceeded } from './find-exceeded.ts';
import { isFollowed, type ImportDeps, type ImportOptions } from './import-options.ts';
import {
  IncompleteChangesError,
  kinds,
  UnstorableError,
  type Checksums,
  type Counts,
  type ImportRecord,
  type SourceDirectory,
} from './ports.ts';
import { newDirectoryReport, noCounts, tally, type DirectoryReport } from './report.ts';
import { createRowReader, latest, type RowReader } from './row-reader.ts';
import { describeUnreadable } from './unreadable-rows.ts';

const nothingImported = 'Nothing of this directory was imported.';
export const changedInRollcall = 'It has been changed in Rollcall since its import, so it was not changed.';
const settingsKept = 'Its settings have been changed in Rollcall since its import, so those that were changed in Polis were left out.';
/** Rows may be committed later than their time says. */
const overlapMs = 600_000;

/** Imports a directory in one transaction. */
export async function importDirectory(
  deps: ImportDeps,
  directory: SourceDirectory,
  record: ImportRecord,
  options: ImportOptions,
): Promise<DirectoryReport> {
  if (record.state === 'changed') return { ...newDirectoryReport(directory), status: 'skipped', reason: changedInRollcall };
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

interface StagedRows {
  /** Of the rows in Polis. */
  counts: Counts;
  /** Rows that were read. */
  read: RowReader['read'];
  /** When the newest row that was read was changed. */
  lastModified: Date | undefined;
}

/** Notes in the report what cannot be read. */
async function stageRows(deps: ImportDeps, { directory, since, options }: ImportRequest, report: DirectoryReport): Promise<StagedRows> {
  const { source, target } = deps;
  const counts = await source.count(directory);
  const rows = createRowReader(deps, directory, { counts, report, since });
  await target.begin(directory, since !== undefined);
  await target.stageUsers(rows.users());
  await target.stageGroups(rows.groups());
  await target.stageMemberships(rows.memberships());
  if (options.deliversQueued) await target.stageQueued(rows.queued());
  return { counts, read: rows.read, lastModified: rows.lastModified() };
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
  const staged = await target.readStaged();
  const exceeded = findExceeded(quotas, staged.usage);
  if (exceeded !== undefined) return { problem: exceeded };
  Object.assign(report, tally(own, staged.usage));
  return { checksums: staged.checksums };
}

async function writeRows(
  { source, target, showProgress }: ImportDeps,
  { directory, record, options, since }: ImportRequest,
  { counts, checksums, report, ...rows }: StagedRows & { checksums?: Checksums; report: DirectoryReport },
): Promise<DirectoryReport> {
  showProgress({ text: `Writing ${directory.tenant}/${directory.product}` });
  const written = await target.write({
    source: source.name,
    isNewestFirst: source.isNewestFirst,
    counts,
    // Rows of a clock that is ahead would hide the changes of the others.
    lastModified: notAfter(new Date(), latest(record.lastModified, rows.lastModified)),
    follows: isFollowed(options),
    announces: options.announces,
  });
  if (written === 'changed') return { ...report, status: 'skipped', reason: changedInRollcall };
  const stored = await target.readStored(directory.id);
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

const notAfter = (limit: Date, time: Date | undefined): Date | undefined => (time && time > limit ? limit : time);
