import { z } from 'zod';
import { environments, planNames } from '../limits/plans.ts';
import { list, positive, text } from './fields.ts';

/** Rate limits and trusted proxies. */
export const limitSettings = {
  LIMITS_PLAN: z
    .enum(planNames, `one of ${planNames.join(', ')}`)
    .optional()
    .describe(
      'Plan whose rate limits apply to this deployment: developer, production, growth or enterprise; if unset, nothing is limited.',
    ),
  LIMITS_ENVIRONMENT: z
    .enum(environments, `one of ${environments.join(', ')}`)
    .default('production')
    .describe('Environment of the plan: production, staging or development.'),
  LIMITS_PROJECTS_FILE: text.optional().describe('JSON file with further projects, each with its own plan.'),
  LIMITS_RULES_FILE: text
    .optional()
    .describe('YAML or JSON file with the limits that apply to every plan; if unset, built-in rules apply.'),
  LIMITS_STORE: z
    .enum(['memory', 'postgres'], 'memory or postgres')
    .default('memory')
    .describe('Where requests are counted: memory (per process) or postgres (across processes).'),
  AUTH_FAILURES_PER_SOURCE: positive
    .default(60)
    .describe(
      'Failed authentications per minute from one address (IPv6: one /64) that get 401; further ones get 429. Valid credentials always pass.',
    ),
  AUTH_FAILURES_PER_DIRECTORY: positive
    .default(300)
    .describe('Failed authentications per minute for one directory that get 401; further ones get 429. Its valid secret always passes.'),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'networks like 10.0.0.0/8, separated by commas')))
    .optional()
    .describe('Comma-separated networks of proxies and gateways whose X-Forwarded-… and X-Rollcall-… headers are trusted.'),
};
