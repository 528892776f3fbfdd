import type { Quotas } from '../quotas.ts';
import type { ConflictPolicy, ImportTarget, PolisSource, ProviderRecords } from './ports.ts';

export interface ImportDeps {
  source: PolisSource;
  target: ImportTarget;
  quotas: Quotas;
  google: ProviderRecords;
  showProgress(step: { text: string; done?: number; total?: number }): void;
}

export interface ImportOptions {
  tenant?: string | undefined;
  product?: string | undefined;
  isDryRun: boolean;
  onConflict: ConflictPolicy;
  /** Whether events are emitted for what is written. */
  announces: boolean;
  deliversQueued: boolean;
  /** Set while a running Polis is followed, which delivers its queue itself. */
  watch?: Watch;
}

export interface Watch {
  /** `first` and `last` compare everything. The others read only what has changed since the last import. */
  round: 'first' | 'next' | 'last';
  /** The keys of directories that were seen in Polis. One that is gone there is deleted in Rollcall. */
  seen: Set<string>;
}

export const isFollowed = ({ watch }: ImportOptions): boolean => watch !== undefined && watch.round !== 'last';

export const isSelected = (one: { tenant: string; product: string }, { tenant, product }: ImportOptions): boolean =>
  (tenant === undefined || one.tenant === tenant) && (product === undefined || one.product === product);
