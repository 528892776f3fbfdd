import type { HealthStatus } from './health-status.ts';

/** What the metrics say of a directory. */
export interface MeasuredDirectory {
  id: string;
  tenant: string;
  product: string;
  status: HealthStatus;
  backlog: number;
}

/** What /metrics reads of all directories. */
export interface HealthSource {
  countByHealth(): Promise<Partial<Record<HealthStatus, number>>>;
  /** Set if each directory is to be shown. */
  listDirectories?: (() => Promise<MeasuredDirectory[]>) | undefined;
}
