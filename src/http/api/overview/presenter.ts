import type { Overview, UnhealthyDirectory } from '../../../directory/health/overview.ts';
import { presentFailing } from '../deliveries/presenter.ts';
import { toTime } from '../schema-fields.ts';
import type { OverviewBody, UnhealthyDirectoryBody } from './schemas.ts';

export const presentOverview = ({ byHealth, backlog, unhealthy }: Overview): OverviewBody => ({
  directories: Object.values(byHealth).reduce((sum, count) => sum + count, 0),
  by_health: byHealth,
  backlog: { events: backlog.events, directories: backlog.directories, oldest_at: toTime(backlog.oldestAt) },
  unhealthy: unhealthy.map(presentUnhealthy),
});

const presentUnhealthy = (directory: UnhealthyDirectory): UnhealthyDirectoryBody => ({
  id: directory.id,
  name: directory.name,
  tenant: directory.tenant,
  product: directory.product,
  type: directory.type,
  health: directory.health,
  backlog: directory.backlog,
  reason: directory.reason ?? null,
  ...presentFailing(directory),
});
