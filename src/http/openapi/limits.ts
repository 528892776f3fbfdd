import { z } from 'zod';
import { environments, planNames } from '../../limits/plans.ts';
import { projectQuery } from '../routes/limits.ts';
import { count, field } from './answers/field.ts';
import { answerOf, type Operation } from './operation.ts';

const its = { tag: 'Limits', isOfLimits: true } as const;

const projectLimits = z
  .strictObject({
    project: field(z.string(), 'The project.', 'default'),
    plan: field(z.enum(planNames), 'Its plan.', 'growth'),
    environment: field(z.enum(environments), 'Its environment.', 'production'),
    buckets: z.array(
      z.strictObject({
        bucket: field(z.string(), 'Which requests it counts.', '/scim/**'),
        rps: field(count, 'How many it takes in a second.', 10),
        rpm: field(count, 'How many it takes in a minute.', 300),
      }),
    ),
  })
  .meta({ id: 'ProjectLimits', description: 'What holds for a project.' });

const decision = z
  .strictObject({
    allowed: z.literal(true),
    lease: field(z.string().nullable(), 'What is to be given back when the request is done.', '6c0f3b8e-9f0e-4d0c-8b57-0d8a4a6a1f22'),
  })
  .meta({ id: 'LimitDecision', description: 'A request may pass.' });

const decide = {
  ...its,
  auth: 'gateway',
  answers: { 200: { ...answerOf('The request may pass.', decision), headers: ['X-Rollcall-Lease'] } },
  refusals: { 400: 'It is not clear which request is meant.' },
} as const;

const release = { ...its, auth: 'gateway', answers: { 200: answerOf('It is given back.', z.strictObject({})) } } as const;

export const limitOperations: Operation[] = [
  {
    ...its,
    operationId: 'limits.get',
    method: 'get',
    path: '/api/v1/limits',
    auth: 'apiKey',
    summary: 'Shows what holds for a project.',
    query: [projectQuery],
    answers: { 200: answerOf('The limits.', projectLimits) },
    refusals: { 404: 'There is no such project.' },
  },
  {
    ...decide,
    operationId: 'decideOnRequest',
    method: 'get',
    path: '/api/v1/limits/decision',
    summary: 'Says whether a request that a gateway tells of in headers may pass.',
    description:
      'For nginx (`auth_request`) and Traefik (ForwardAuth): `X-Forwarded-Method` and `X-Forwarded-Uri`, or `X-Original-Method` and `X-Original-Uri`. Any method will do.',
  },
  {
    ...decide,
    operationId: 'decideOnPath',
    method: 'post',
    path: '/api/v1/limits/decision/{path}',
    summary: 'Says whether a request to the path that follows may pass.',
    description: 'For Envoy (`ext_authz`). The method is the one that is asked about, and the path may have any number of segments.',
  },
  {
    ...release,
    operationId: 'releaseLease',
    method: 'delete',
    path: '/api/v1/limits/inflight/{lease}',
    summary: 'Gives back what a decision let a gateway take.',
  },
  {
    ...release,
    operationId: 'releaseLeaseByPost',
    method: 'post',
    path: '/api/v1/limits/inflight/{lease}/release',
    summary: 'Gives it back, for gateways that send no DELETE.',
  },
];
