import { formerDirectoryId } from '../directories/former-ids.ts';
import { isSelected, type ImportOptions } from './import-options.ts';
import { readDirectory, UnreadableRowError, type PolisDirectory } from './polis-records.ts';
import type { PolisSource, SourceDirectory } from './ports.ts';
import { newDirectoryReport, type DirectoryReport } from './report.ts';
import { noteUnreadable } from './unreadable-rows.ts';

interface Listed {
  /** Those of the selected tenant and product. */
  selected: SourceDirectory[];
  /** The keys of all directories. */
  keys: Set<string>;
  /** A report for each row that cannot be read, whatever its tenant, which is unknown. */
  unreadable: DirectoryReport[];
}

export async function listDirectories(source: PolisSource, options: ImportOptions): Promise<Listed> {
  const directories: PolisDirectory[] = [];
  const keys = new Set<string>();
  const unreadable: DirectoryReport[] = [];
  for await (const rows of source.listDirectories())
    for (const row of rows)
      try {
        const directory = readDirectory(row);
        if (keys.has(directory.id)) throw new UnreadableRowError(row.key, 'another directory has its ID');
        keys.add(directory.id);
        directories.push(directory);
      } catch (error) {
        const report = newDirectoryReport({ polisId: '', tenant: '', product: '', warnings: [] });
        noteUnreadable(report, error, row.key);
        unreadable.push({ ...report, reason: (error as Error).message });
      }
  const byOwner = new Map<string, PolisDirectory[]>();
  for (const directory of directories) {
    const owner = JSON.stringify([directory.tenant, directory.product]);
    const siblings = byOwner.get(owner) ?? [];
    siblings.push(directory);
    byOwner.set(owner, siblings);
  }
  const selected = [...byOwner.values()].flatMap(withSiblings).filter((directory) => isSelected(directory, options));
  return { selected, keys, unreadable };
}

function withSiblings(directories: PolisDirectory[]): SourceDirectory[] {
  const owner = directories.length === 1 ? directories[0] : directories.find((one) => one.polisId === formerDirectoryId(one));
  const siblings = directories.map(({ polisId }) => polisId);
  return directories.map((one, index) => ({
    ...one,
    siblings,
    unindexed: one === owner ? 'own' : !owner && index === 0 ? 'report' : 'ignore',
  }));
}
