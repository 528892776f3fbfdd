import { pulledType } from '../directories/directory.ts';
import { toResourceKey } from '../resources/resource-ids.ts';
import { checksumOf } from './checksum.ts';
import type { ImportDeps } from './import-options.ts';
import { readGroup, readMembership, readQueuedEvent, readUser, type PolisRow } from './polis-records.ts';
import type { Counts, Kind, QueuedEvent, SourceDirectory } from './ports.ts';
import { noCounts, type DirectoryReport } from './report.ts';
import { toImportedGroup, toImportedUser } from './to-resources.ts';
import { noteUnreadable } from './unreadable-rows.ts';

interface RowReaderOptions {
  /** Of the rows in Polis. */
  counts: Counts;
  /** Names the rows that cannot be read, which are skipped. */
  report: DirectoryReport;
  /** Set if only rows that were changed after it are read. */
  since: Date | undefined;
}

/** Reads the rows of a directory, and turns them into what is stored. */
export function createRowReader(
  { source, google, showProgress }: Pick<ImportDeps, 'source' | 'google' | 'showProgress'>,
  directory: SourceDirectory,
  { counts, report, since }: RowReaderOptions,
) {
  const read = noCounts();
  let lastModified: Date | undefined;
  let incomplete = 0;
  const mapping = { provider: directory.type === pulledType ? google : undefined, onIncomplete: () => void (incomplete += 1) };

  async function* convert<Result>(kind: Kind, toResult: (row: PolisRow) => Result): AsyncGenerator<Result[]> {
    const text = `Reading ${kind} of ${directory.tenant}/${directory.product}:`;
    for await (const rows of source.read(kind, directory, since)) {
      const results: Result[] = [];
      for (const row of rows) {
        try {
          results.push(toResult(row));
          lastModified = latest(lastModified, row.modifiedAt ?? row.createdAt);
        } catch (error) {
          noteUnreadable(report, error, row.key);
        }
      }
      read[kind] += rows.length;
      showProgress({ text, done: read[kind], ...(!since && { total: Math.max(counts[kind], read[kind]) }) });
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
    /** When the newest row that was read was changed. */
    lastModified: () => lastModified,
    users: () => convert('users', (row) => toImportedUser(readUser(row), mapping)),
    groups: () => convert('groups', (row) => toImportedGroup(readGroup(row), mapping)),
    memberships: () =>
      convert('memberships', (row) => {
        const { groupId, userId } = readMembership(row);
        return { groupId: toResourceKey(groupId), memberId: toResourceKey(userId), checksum: checksumOf(groupId, userId) };
      }),
    async queued(): Promise<QueuedEvent[]> {
      const queued: QueuedEvent[] = [];
      for await (const rows of source.readQueued(directory.polisId))
        for (const row of rows)
          try {
            queued.push(readQueuedEvent(row));
          } catch (error) {
            noteUnreadable(report, error, row.key);
          }
      return queued;
    },
  };
}

export const latest = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one > other ? one : other) : (one ?? other);
