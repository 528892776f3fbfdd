import { defineOperation } from '../define-operation.ts';
import { presentOverview } from './presenter.ts';
import { overviewSchema } from './schemas.ts';

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
