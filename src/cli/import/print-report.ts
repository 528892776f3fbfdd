import { writeFile } from 'node:fs/promises';
import type { DirectoryReport, ImportReport } from '../../directory/import/report.ts';
import { CommandError, exitCodes } from '../errors.ts';
import { pluralize } from '../output/format.ts';
import type { Printer } from '../output/printer.ts';

export const describeTotals = ({ directories, users, groups, memberships }: ImportReport['totals']) =>
  `${pluralize(directories, 'directory', 'directories')}, ${pluralize(users.imported, 'user')}, ${pluralize(groups.imported, 'group')} and ${pluralize(memberships.imported, 'membership')}`;

export async function writeReport(file: string, report: ImportReport): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      exitCodes.failed,
      `The report can't be written to ${file} (${error.code}): choose a file in a folder that exists and is writable.`,
    );
  });
}

export function printReport(print: Printer, { directories, setup_links: links, totals, dry_run: isDryRun }: ImportReport): void {
  print.table(
    [
      { title: 'Directory', value: ({ id }) => id },
      { title: 'Tenant', value: ({ tenant }) => tenant, mayShrink: true },
      { title: 'Product', value: ({ product }) => product, mayShrink: true },
      { title: 'Status', value: ({ status }) => status },
      { title: 'Users', value: ({ users }) => share(users), alignRight: true },
      { title: 'Groups', value: ({ groups }) => share(groups), alignRight: true },
      { title: 'Members', value: ({ memberships }) => share(memberships), alignRight: true },
      { title: 'Checksums', value: describeChecksums },
    ],
    directories,
    { wide: true },
  );
  for (const { tenant, product, reason, warnings, conflicts, orphans, unreadable } of directories) {
    const note = (text: string) => print.note(`${tenant}/${product}: ${text}`);
    if (reason !== undefined) note(reason);
    for (const { kind, ids, kept } of conflicts.slice(0, maxPrinted))
      note(`conflict (${kind}) of ${ids.join(', ')}${kept === undefined ? '' : `; kept ${kept}`}`);
    for (const { key, problem } of unreadable.slice(0, maxPrinted)) note(`${key}: ${problem}`);
    if (orphans > 0) note(`Dropped ${pluralize(orphans, 'membership')} without a user or group.`);
    for (const warning of warnings) note(warning);
  }
  for (const { key, problem } of links.unreadable.slice(0, maxPrinted)) print.note(`${key}: ${problem}`);
  for (const { tenant, product } of links.skipped.slice(0, maxPrinted))
    print.note(`${tenant}/${product}: its setup link was left out, because Rollcall has a valid one: revoke that one, and import again.`);
  if (links.read + links.revoked > 0)
    print.note(
      `${isDryRun ? 'Would import' : 'Imported'} ${pluralize(links.imported, 'setup link')}; ${links.unchanged} unchanged, ${links.expired} expired, ${links.revoked} revoked.`,
    );
  print.note(
    `${isDryRun ? 'Would import' : 'Imported'} ${describeTotals(totals)}; ${pluralize(totals.failed, 'directory', 'directories')} failed.`,
  );
}

const share = ({ read, imported }: { read: number; imported: number }) =>
  read === imported ? imported.toLocaleString('en') : `${imported.toLocaleString('en')} of ${read.toLocaleString('en')}`;

const maxPrinted = 20;

function describeChecksums({ checksums }: DirectoryReport): string {
  if (!checksums) return '';
  const { source, target } = checksums;
  return source.users === target.users && source.memberships === target.memberships ? 'same' : 'DIFFERENT';
}
