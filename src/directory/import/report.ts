import type { PolisDirectory } from './polis-records.ts';
import { kinds, type Checksums, type Conflict, type Counts, type Kind, type SetupLinkTally } from './ports.ts';

/** Every row that was read is either imported or skipped. */
type Tally = Record<'read' | 'imported' | 'skipped', number>;

export interface DirectoryReport extends Record<Kind, Tally> {
  id: string;
  tenant: string;
  product: string;
  /**
   * `skipped`: it has been changed in Rollcall since its import, or is no longer in Polis. `deleted`: it was deleted in Polis while it
   * was followed. `planned`: a dry run would import it.
   */
  status: 'imported' | 'unchanged' | 'deleted' | 'planned' | 'skipped' | 'failed';
  reason?: string;
  /** Rows that were written or deleted. */
  changed: Counts;
  /** Memberships whose user or group does not exist. They were dropped. */
  orphans: number;
  conflicts: Conflict[];
  /** The keys of rows that cannot be read. */
  unreadable: { key: string; problem: string }[];
  /** Events of Polis' queue that will be delivered. */
  queued_events: number;
  warnings: string[];
  checksums?: { source: Checksums; target: Checksums };
}

export interface SetupLinkReport extends SetupLinkTally {
  read: number;
  expired: number;
  /** The keys of rows that cannot be read. */
  unreadable: { key: string; problem: string }[];
}

export interface ImportReport {
  source: string;
  dry_run: boolean;
  directories: DirectoryReport[];
  setup_links: SetupLinkReport;
  totals: Record<Kind, Tally> & { directories: number; failed: number; orphans: number; conflicts: number };
}

export const noCounts = (): Counts => ({ users: 0, groups: 0, memberships: 0 });

export const newDirectoryReport = ({
  polisId,
  tenant,
  product,
  warnings,
}: Pick<PolisDirectory, 'polisId' | 'tenant' | 'product' | 'warnings'>): DirectoryReport => ({
  id: polisId,
  tenant,
  product,
  status: 'failed',
  ...tally(noCounts(), noCounts()),
  changed: noCounts(),
  orphans: 0,
  conflicts: [],
  unreadable: [],
  queued_events: 0,
  warnings: [...warnings],
});

export const tally = (read: Counts, imported: Counts): Record<Kind, Tally> =>
  Object.fromEntries(
    kinds.map((kind) => [kind, { read: read[kind], imported: imported[kind], skipped: read[kind] - imported[kind] }]),
  ) as Record<Kind, Tally>;

export function toReport(source: string, isDryRun: boolean, directories: DirectoryReport[], setupLinks: SetupLinkReport): ImportReport {
  const sum = (value: (directory: DirectoryReport) => number) => directories.reduce((total, directory) => total + value(directory), 0);
  const total = (part: keyof Tally) => Object.fromEntries(kinds.map((kind) => [kind, sum((one) => one[kind][part])])) as unknown as Counts;
  return {
    source,
    dry_run: isDryRun,
    directories,
    setup_links: setupLinks,
    totals: {
      directories: directories.length,
      failed: sum(({ status }) => Number(status === 'failed')),
      ...tally(total('read'), total('imported')),
      orphans: sum(({ orphans }) => orphans),
      conflicts: sum(({ conflicts }) => conflicts.length),
    },
  };
}
