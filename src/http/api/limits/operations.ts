import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { environments, planNames } from '../../../limits/plans.ts';
import type { HttpDeps } from '../../deps.ts';
import { pathParam } from '../../operation.ts';
import { defineOperation } from '../define-operation.ts';
import { count, exampleId, field } from '../schema-fields.ts';

const common = { tag: 'Limits', requiresLimits: true } as const;

const projectLimitsSchema = z
  .strictObject({
    project: field(z.string(), 'The project.', 'default'),
    plan: field(z.enum(planNames), "The project's plan.", 'growth'),
    environment: field(z.enum(environments), "The project's environment.", 'production'),
    buckets: z.array(
      z.strictObject({
        bucket: field(z.string(), 'The requests that the bucket counts.', '/scim/**'),
        rps: field(count, 'The limit per second.', 10),
        rpm: field(count, 'The limit per minute.', 300),
      }),
    ),
  })
  .meta({ id: 'ProjectLimits', description: 'The rate limits of a project.' });

export const getLimits = defineOperation({
  ...common,
  id: 'limits.get',
  method: 'get',
  path: '/api/v1/limits',
  auth: 'apiKey',
  scope: 'limits:read',
  reach: 'deployment',
  title: 'Get the rate limits of a project',
  query: z.object({
    project: z
      .string('must be given once')
      .optional()
      .meta({ description: "The project; default: the deployment's own.", examples: ['default'] }),
  }),
  responses: { 200: { description: 'The limits.', data: projectLimitsSchema } },
  errors: { 404: 'The project does not exist.' },
  handler: ({ input: { query }, deps }) => {
    const { projects } = deps.limiting!.limits;
    const project = query.project === undefined ? projects.own : projects.get(query.project);
    if (!project) throw new AppError('not_found', 'There is no project with this ID.', { field: 'project' });
    const { id, plan, environment, buckets } = project;
    return { project: id, plan, environment, buckets };
  },
});

export const leasesPath = '/api/v1/limits/inflight';

const leaseOperation = {
  ...common,
  auth: 'gateway',
  scope: 'limits:read',
  reach: 'deployment',
  params: z.object({ lease: pathParam('The lease.', exampleId) }),
  responses: { 200: { description: 'The lease is released.', data: z.strictObject({}) } },
} as const;

export const leaseOperations = [
  defineOperation({
    ...leaseOperation,
    id: 'releaseLease',
    audit: { none: 'A gateway calls it for each request, and nothing is kept.' },
    method: 'delete',
    path: `${leasesPath}/{lease}`,
    title: 'Release a lease',
    description: 'A gateway releases the lease of a decision when the request is finished.',
    handler: ({ input: { params }, deps }) => release(params.lease, deps),
  }),
  defineOperation({
    ...leaseOperation,
    id: 'releaseLeaseByPost',
    audit: { none: 'A gateway calls it for each request, and nothing is kept.' },
    method: 'post',
    path: `${leasesPath}/{lease}/release`,
    title: 'Release a lease by POST',
    description: 'For gateways that cannot send DELETE.',
    handler: ({ input: { params }, deps }) => release(params.lease, deps),
  }),
];

async function release(lease: string, { limiting }: HttpDeps): Promise<Record<string, never>> {
  const isReleased = await limiting!.limits.release(lease);
  if (isReleased === undefined) throw new AppError('unavailable', 'The store of the limits does not respond; try again.');
  if (!isReleased) throw new AppError('not_found', 'There is no such lease: it was released, or it expired.');
  return {};
}
