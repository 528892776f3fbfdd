import { z } from 'zod';
import { reportedStatuses } from '../../../directory/delivery/ports.ts';
import { directoryTypes } from '../../../directory/directories/directory.ts';
import { type HealthStatus, healthStatuses } from '../../../directory/health/health-status.ts';
import { maxListed } from '../../../directory/health/overview.ts';
import { failingFields } from '../deliveries/schemas.ts';
import { healthSummarySchema } from '../directories/schemas.ts';
import { count, field, id, timeOrNull } from '../schema-fields.ts';

const examples: Partial<Record<HealthStatus, number>> = { failing: 1, healthy: 11 };
const byHealth = z
  .strictObject(
    Object.fromEntries(
      healthStatuses.map((status) => [status, field(count, `Directories whose health is \`${status}\`.`, examples[status] ?? 0)]),
    ) as Record<HealthStatus, typeof count>,
  )
  .meta({ description: 'The number of directories by health. A directory counts once.' });

const backlog = z
  .strictObject({
    events: field(count, 'The number of undelivered events.', 12),
    directories: field(count, 'The number of directories with undelivered events.', 1),
    oldest_at: timeOrNull('When the oldest undelivered event was created; null: there is none.'),
  })
  .meta({ description: 'The undelivered events of directories with a webhook.' });

const unhealthyDirectory = z
  .strictObject({
    id: id("The directory's ID."),
    name: field(z.string(), 'Display name.', 'scim-acme-crm'),
    tenant: field(z.string(), 'The customer.', 'acme'),
    product: field(z.string(), 'The application.', 'crm'),
    type: field(z.enum(directoryTypes), 'The kind of identity provider.', 'okta-scim-v2'),
    health: healthSummarySchema,
    delivery_status: field(
      z.enum(reportedStatuses),
      'The delivery state, which `health` names only if nothing comes before it.',
      'failing',
    ),
    backlog: field(count, 'The number of undelivered events.', 12),
    reason: field(z.string().nullable(), 'Why the delivery is paused, disabled or misconfigured.', null),
    ...failingFields,
  })
  .meta({ id: 'UnhealthyDirectory', description: 'A directory that needs attention.' });
export type UnhealthyDirectoryBody = z.output<typeof unhealthyDirectory>;

export const overviewSchema = z
  .strictObject({
    directories: field(count, 'The number of directories.', 12),
    by_health: byHealth,
    backlog,
    unhealthy: z.array(unhealthyDirectory).meta({
      description: `The first ${maxListed} directories that need attention: failing ones, then disabled ones, then those that need an authorization or a confirmation, are paused or stale.`,
    }),
  })
  .meta({ id: 'Overview', description: 'The directories that need attention.' });
export type OverviewBody = z.output<typeof overviewSchema>;
