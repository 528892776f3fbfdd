import { z } from 'zod';
import { environments, planNames } from '../limits/plans.ts';
import { list, positive, text } from './fields.ts';

/** Who may ask how often. */
export const limitSettings = {
  LIMITS_PLAN: z
    .enum(planNames, `one of ${planNames.join(', ')}`)
    .optional()
    .describe('Plan whose limits hold for this deployment: developer, production, growth or enterprise; without it nothing is limited.'),
  LIMITS_ENVIRONMENT: z
    .enum(environments, `one of ${environments.join(', ')}`)
    .default('production')
    .describe('Environment of that plan: production, staging or development.'),
  LIMITS_PROJECTS_FILE: text.optional().describe('JSON file with more projects, each with a plan of its own.'),
  LIMITS_RULES_FILE: text.optional().describe('YAML or JSON file with the limits that hold for every plan; sensible ones without it.'),
  LIMITS_STORE: z
    .enum(['memory', 'postgres'], 'memory or postgres')
    .default('memory')
    .describe('Where requests are counted: in the memory of one process, or in Postgres for several together.'),
  AUTH_FAILURES_PER_SOURCE: positive
    .default(60)
    .describe(
      'Failed authentications a minute from one address (of IPv6: one /64) that get 401; more get 429. Valid credentials always pass.',
    ),
  AUTH_FAILURES_PER_DIRECTORY: positive
    .default(300)
    .describe('Failed authentications a minute for one directory that get 401; more get 429. Its valid secret always passes.'),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'networks like 10.0.0.0/8, separated by commas')))
    .optional()
    .describe('Networks, by comma, of proxies and gateways whose X-Forwarded-… and X-Rollcall-… headers are believed.'),
};
