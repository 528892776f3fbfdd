import { AppError } from '../../errors.ts';
import { changedInRollcall, importDirectory } from './import-directory.ts';
import { isFollowed, isSelected, type ImportDeps, type ImportOptions } from './import-options.ts';
import { importSetupLinks } from './import-setup-links.ts';
import { listDirectories } from './list-directories.ts';
import type { ImportedDirectory, ImportRecord, ImportTarget, PolisSource, SourceDirectory } from './ports.ts';
import { newDirectoryReport, toReport, type DirectoryReport, type ImportReport } from './report.ts';

/**
 * Imports each directory in one transaction, so that a crash leaves it as it was. Directories that were imported before are compared, and
 * only differences are written.
 */
export async function importPolis(deps: ImportDeps, options: ImportOptions): Promise<ImportReport> {
  const { source, target } = deps;
  const { watch, isDryRun } = options;
  const { selected, keys, unreadable } = await listDirectories(source, options);
  // A running Polis delivers its queue itself.
  if (!isFollowed(options) && !options.deliversQueued) await assertNothingQueued(source, selected, options);
  const records = new Map<string, ImportRecord>();
  for (const directory of selected) records.set(directory.id, await findRecord(target, directory));
  const reports = [...unreadable];
  for (const directory of selected) reports.push(await importDirectory(deps, directory, records.get(directory.id)!, options));
  const imported = (await target.listImported(source.name)).filter((one) => isSelected(one, options));
  // A row that cannot be read may belong to any of them.
  if (unreadable.length === 0)
    for (const directory of imported)
      if (!keys.has(directory.id)) reports.push(await reportAbsent(target, directory, options, { isEmptied: keys.size === 0 }));
  for (const key of keys) watch?.seen.add(key);
  if (!isDryRun && !isFollowed(options)) await target.endFollowing(imported.map(({ id }) => id));
  return toReport(source.name, isDryRun, reports, await importSetupLinks(deps, options));
}

/** Polis must deliver its queue first. */
export class QueuedEventsError extends AppError {}

async function assertNothingQueued(source: PolisSource, directories: SourceDirectory[], { watch }: ImportOptions): Promise<void> {
  let queued = 0;
  for (const { polisId } of directories) queued += await source.countQueued(polisId);
  if (queued === 0) return;
  const found = `Polis has ${queued} undelivered ${queued === 1 ? 'event' : 'events'} in its queue`;
  throw new QueuedEventsError(
    'invalid_request',
    watch
      ? `${found}, so the last comparison waits until it is empty: start Polis to let it deliver them, or press Ctrl-C again to end without the comparison.`
      : `${found}: let it deliver them, or stop it and pass --deliver-queued so that Rollcall delivers them. Nothing was written.`,
  );
}

async function findRecord(target: ImportTarget, { id, polisId }: SourceDirectory): Promise<ImportRecord> {
  const record = await target.readRecord(id);
  if (record.state === 'foreign')
    throw new AppError(
      'invalid_request',
      `The directory ${polisId} exists in Rollcall and was not imported from Polis: delete it, or leave it out with --tenant and --product. Nothing was written.`,
    );
  if (record.state === 'deleting')
    throw new AppError(
      'invalid_request',
      `The directory ${polisId} is being deleted in Rollcall: try again in a few minutes. Nothing was written.`,
    );
  return record;
}

const absent = 'It is no longer in Polis: delete it in Rollcall if it is not needed.';

/**
 * Another Polis may have the same address, so only what was seen there before is deleted. A Polis that lost all its directories at once is more
 * likely one whose tables were emptied too early.
 */
async function reportAbsent(
  target: ImportTarget,
  directory: ImportedDirectory,
  { watch, announces }: ImportOptions,
  { isEmptied }: { isEmptied: boolean },
): Promise<DirectoryReport> {
  const report = newDirectoryReport({ ...directory, warnings: [] });
  if (isEmptied || !watch?.seen.has(directory.id)) return { ...report, status: 'skipped', reason: absent };
  if ((await target.remove(directory.id, { announces })) === 'removed') return { ...report, status: 'deleted' };
  return { ...report, status: 'skipped', reason: `${changedInRollcall} ${absent}` };
}
