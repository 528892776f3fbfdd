import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { count, field } from '../schema-fields.ts';

const statsSchema = z
  .strictObject({
    sso_connections: field(count, 'Always 0.', 0),
    dsync_connections: field(count, 'The number of directories.', 12),
    identity_federation_apps: field(count, 'Always 0.', 0),
  })
  .meta({ id: 'Stats', description: 'Counts in the form of Ory Polis.' });

const statsRequest = z
  .object({
    products: z
      .array(z.string('must be strings').max(200), 'must be an array')
      .max(50, 'may have at most 50 entries')
      .meta({ description: 'The products whose directories are counted.', examples: [['crm']] }),
    type: z
      .enum(['sso', 'dsync', 'identityFederation'], 'must be sso, dsync or identityFederation')
      .optional()
      .meta({ description: 'What is counted; all counts but `dsync` are 0.', examples: ['dsync'] }),
  })
  .meta({ id: 'StatsRequest', description: 'What to count.' });

const common = {
  tag: 'Stats',
  auth: 'apiKey',
  scope: 'directories:read',
  reach: 'narrowed',
  responses: { 200: { description: 'The counts.', data: statsSchema } },
} as const;

const present = (directories: number) => ({ sso_connections: 0, dsync_connections: directories, identity_federation_apps: 0 });

export const statsOperations = [
  defineOperation({
    ...common,
    id: 'stats.get',
    method: 'get',
    path: '/api/v1/stats',
    title: 'Count directories',
    handler: async ({ deps, caller }) => present(await deps.directories.count(caller.narrowed)),
  }),
  defineOperation({
    ...common,
    id: 'stats.ofProducts',
    audit: { none: 'It only reads.' },
    method: 'post',
    path: '/api/v1/stats/product',
    title: 'Count the directories of products',
    body: { schema: statsRequest },
    handler: async ({ input: { body }, deps, caller }) =>
      present(body.type === undefined || body.type === 'dsync' ? await deps.directories.count(caller.narrowed, body.products) : 0),
  }),
];
