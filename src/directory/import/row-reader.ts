import { toResourceKey } from '../resources/resource-ids.ts';
import { checksumOf } from './checksum.ts';
import { findExceeded } from './find-exceeded.ts';
import type { ImportDeps } from './import-options.ts';
import { readGroup, readMembership, readQueuedEvent, readUser, type PolisRow, type QueuedEvent } from './polis-records.ts';
import {
  UnstorableError,
  type Counts,
  type ImportedGroup,
  type ImportedMembership,
  type ImportedUser,
  type Kind,
  type SourceDirectory,
} from './ports.ts';
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

type RowKind = Kind | 'queued';
export type RowReader = ReturnType<typeof createRowReader>;

/** Reads the rows of a directory, and turns them into what is stored. */
export function createRowReader(
  { source, google, quotas, showProgress }: Pick<ImportDeps, 'source' | 'google' | 'quotas' | 'showProgress'>,
  directory: SourceDirectory,
  { counts, report, since }: RowReaderOptions,
) {
  const read = { ...noCounts(), queued: 0 };
  const bytes = { resources: 0, queued: 0 };
  let lastModified: Date | undefined;
  let incomplete = 0;
  const mapping = { provider: directory.type === 'google' ? google : undefined, onIncomplete: () => void (incomplete += 1) };

  async function* convert<Result extends ImportedUser | ImportedGroup | ImportedMembership | QueuedEvent>(
    kind: RowKind,
    toResult: (row: PolisRow) => Result,
  ): AsyncGenerator<Result[]> {
    const text = `Reading ${kind === 'queued' ? 'queued events' : kind} of ${directory.tenant}/${directory.product}:`;
    for await (const rows of kind === 'queued' ? source.readQueued(directory.polisId) : source.read(kind, directory, since)) {
      const results: Result[] = [];
      for (const row of rows) {
        try {
          const result = toResult(row);
          results.push(result);
          bytes[kind === 'queued' ? kind : 'resources'] += 'bytes' in result ? result.bytes : 0;
          if (kind !== 'queued') lastModified = latest(lastModified, row.modifiedAt ?? row.createdAt);
        } catch (error) {
          noteUnreadable(report, error, row.key);
        }
      }
      read[kind] += rows.length;
      assertWithinQuotas();
      showProgress({ text, done: read[kind], ...(!since && kind !== 'queued' && { total: Math.max(counts[kind], read[kind]) }) });
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

export const latest = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one > other ? one : other) : (one ?? other);
