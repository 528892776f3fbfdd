import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { apiErrorSchema } from '../error-schema.ts';
import { field } from '../schema-fields.ts';

const common = { tag: 'Health', method: 'get' } as const;

const notReadySchema = z
  .strictObject({
    data: z.null(),
    error: apiErrorSchema
      .extend({ missing: field(z.array(z.string()), 'What is missing, one sentence each.', ['The database does not respond.']) })
      .meta({ id: 'NotReadyError', description: 'Why the process is not ready.' }),
  })
  .meta({ id: 'NotReady', description: 'The process is not ready.' });

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
    auth: 'none',
    title: 'Check readiness',
    description: 'Succeeds while the process can do its work.',
    responses: {
      200: { description: 'The process is ready.', data: z.strictObject({ status: z.literal('ready') }) },
      503: { description: 'The process is not ready; `missing` says why.', content: { 'application/json': notReadySchema } },
    },
    handler: async ({ deps, ctx }) => {
      const missing = await deps.checkReadiness();
      if (missing.length === 0) return { status: 'ready' as const };
      ctx.status = 503;
      ctx.body = { data: null, error: { code: 'unavailable', message: missing.join(' '), missing } };
      return undefined;
    },
  }),
];

export const readMetrics = defineOperation({
  ...common,
  id: 'readMetrics',
  path: '/metrics',
  auth: 'apiKey',
  title: 'Get metrics',
  description: 'Returns the metrics in the text format of Prometheus.',
  responses: { 200: { description: 'The metrics.', content: { 'text/plain': z.string() }, example: 'rollcall_scim_requests_total 12' } },
  handler: async ({ deps, ctx }) => {
    ctx.body = await deps.metrics.text();
    ctx.type = deps.metrics.contentType;
    return undefined;
  },
});
