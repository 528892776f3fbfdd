import type { HealthStatus } from './health-status.ts';

/** A directory with the figures that its metrics show. */
export interface MeasuredDirectory {
  id: string;
  tenant: string;
  product: string;
  status: HealthStatus;
  backlog: number;
}

/** The figures of all directories for /metrics. */
export interface HealthSource {
  countByHealth(): Promise<Partial<Record<HealthStatus, number>>>;
  /** Set if each directory has its own metrics. */
  listDirectories?: (() => Promise<MeasuredDirectory[]>) | undefined;
}
