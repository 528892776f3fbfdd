import type { DirectoryType } from '../directories/directory.ts';
import type { ReportedStatus } from '../delivery/ports.ts';
import type { Failing } from './failing.ts';
import type { HealthStatus, HealthSummary } from './health-status.ts';

/** What the directories of a deployment, or of a narrowed caller, need now. */
export interface Overview {
  byHealth: Record<HealthStatus, number>;
  /** Undelivered events of directories with a webhook. */
  backlog: { events: number; directories: number; oldestAt: Date | undefined };
  /** Directories that need attention: failing ones first, then those that have waited longest. At most `maxListed`. */
  unhealthy: UnhealthyDirectory[];
}

export interface UnhealthyDirectory extends Failing {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: DirectoryType;
  health: HealthSummary;
  /** Its delivery may fail also when its health names something else. */
  deliveryStatus: ReportedStatus;
  backlog: number;
  /** Why its delivery is paused or disabled. */
  reason: string | undefined;
}

export const maxListed = 50;
