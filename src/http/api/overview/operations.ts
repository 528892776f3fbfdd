import type { Overview, UnhealthyDirectory } from '../../../directory/health/overview.ts';
import { defineOperation } from '../define-operation.ts';
import { presentFailing } from '../deliveries/presenter.ts';
import { toTime } from '../schema-fields.ts';
import { overviewSchema, type OverviewBody, type UnhealthyDirectoryBody } from './schemas.ts';

export const getOverview = defineOperation({
  tag: 'Stats',
  auth: 'apiKey',
  scope: 'directories:read',
  reach: 'narrowed',
  id: 'overview.get',
  method: 'get',
  path: '/api/v1/overview',
  title: 'Get an overview',
  description:
    'Counts the directories by health and the undelivered events, and lists the directories that need attention, failing ones first.',
  responses: { 200: { description: 'The overview.', data: overviewSchema } },
  handler: async ({ deps, caller }) => presentOverview(await deps.directories.overview(caller.narrowed)),
});

const presentOverview = ({ byHealth, backlog, unhealthy }: Overview): OverviewBody => ({
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
  delivery_status: directory.deliveryStatus,
  backlog: directory.backlog,
  reason: directory.reason ?? null,
  ...presentFailing(directory),
});
