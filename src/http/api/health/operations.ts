import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { apiErrorSchema } from '../error-schema.ts';
import { field } from '../schema-fields.ts';

const common = { tag: 'Health', method: 'get' } as const;

const notReadySchema = z
  .strictObject({
    data: z.null(),
    error: apiErrorSchema
      .extend({ missing: field(z.array(z.string()), 'The reasons, one sentence each.', ['The database does not respond.']) })
      .meta({ id: 'NotReadyError', description: 'Why the process is not ready.' }),
  })
  .meta({ id: 'NotReady', description: 'The process is not ready.' });

const replicaSchema = z
  .strictObject({
    status: field(
      z.enum(['used', 'lagging', 'away', 'unfit']),
      'Whether lists and the feed are read from it. `unfit`: it is not a replica of this database.',
      'used',
    ),
    lag_ms: field(z.int().nullable(), 'How far it is behind the database, in milliseconds. Null if that is unknown.', 12),
  })
  .meta({ id: 'ReadReplica', description: 'The replica at DATABASE_READ_URL. It is missing without this setting.' });

const toWholeMs = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));

export const healthOperations = [
  defineOperation({
    ...common,
    id: 'health.live',
    path: '/health/live',
    auth: 'none',
    title: 'Check liveness',
    description: 'Succeeds while the process runs.',
    responses: { 200: { description: 'The process runs.', data: z.strictObject({ status: z.literal('live') }) } },
    handler: () => ({ status: 'live' as const }),
  }),
  defineOperation({
    ...common,
    id: 'health.ready',
    path: '/health/ready',
    aliases: ['/api/health'],
    auth: 'none',
    title: 'Check readiness',
    description: 'Succeeds while the process can do its work.',
    responses: {
      200: {
        description: 'The process is ready.',
        data: z.strictObject({ status: z.literal('ready'), read_replica: replicaSchema.optional() }),
      },
      503: { description: 'The process is not ready; `missing` says why.', content: { 'application/json': notReadySchema } },
    },
    handler: async ({ deps, ctx }) => {
      const { missing, replica } = await deps.checkReadiness();
      const shown = replica && { read_replica: { status: replica.status, lag_ms: toWholeMs(replica.lagMs) } };
      if (missing.length === 0) return { status: 'ready' as const, ...shown };
      ctx.status = 503;
      ctx.body = { data: null, error: { code: 'unavailable', message: missing.join(' '), status: 503, missing } };
      return undefined;
    },
  }),
];

export const readMetrics = defineOperation({
  ...common,
  id: 'readMetrics',
  path: '/metrics',
  auth: 'apiKey',
  scope: 'metrics:read',
  reach: 'deployment',
  title: 'Get metrics',
  description: 'Returns the metrics in the text format of Prometheus.',
  responses: { 200: { description: 'The metrics.', content: { 'text/plain': z.string() }, example: 'rollcall_scim_requests_total 12' } },
  handler: async ({ deps, ctx }) => {
    ctx.body = await deps.metrics.text();
    ctx.type = deps.metrics.contentType;
    return undefined;
  },
});
