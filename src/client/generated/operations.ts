// Generated from the OpenAPI document by `npm run client`.
import type { Operation } from '../operation.ts';

export const operations: Record<string, Operation> = {
  'directories.list': { method: 'GET', path: '/api/v1/directory-sync', pathParameters: [], takes: 'query' },
  'directories.create': { method: 'POST', path: '/api/v1/directory-sync', pathParameters: [], takes: 'body' },
  'directories.get': { method: 'GET', path: '/api/v1/directory-sync/{directoryId}', pathParameters: ['directoryId'], takes: 'nothing' },
  'deliveries.state': {
    method: 'GET',
    path: '/api/v1/directory-sync/{directoryId}/delivery',
    pathParameters: ['directoryId'],
    takes: 'nothing',
  },
  'users.list': { method: 'GET', path: '/api/v1/directory-sync/users', pathParameters: [], takes: 'query' },
  'groups.members': { method: 'GET', path: '/api/v1/directory-sync/groups/{groupId}/members', pathParameters: ['groupId'], takes: 'query' },
  'events.list': { method: 'GET', path: '/api/v1/events', pathParameters: [], takes: 'query' },
};
