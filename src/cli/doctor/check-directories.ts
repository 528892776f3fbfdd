import { createClient, type UnhealthyDirectory } from '../../client/index.ts';
import { type HealthStatus, unhealthyStatuses } from '../../directory/health/health-status.ts';
import { isPulledType } from '../../directory/directories/directory.ts';
import type { Connection } from '../connection.ts';
import { pluralize } from '../output/format.ts';
import { createFindings, type Finding } from './findings.ts';

const { ok, warning, problem, skipped } = createFindings('Directories');

/** Before the limit of a check, which would report a problem beside that of the service. */
const timeoutMs = 6_000;

/** It may be meant: somebody paused it, or nothing has changed for long. Anything else stops changes or webhooks. */
const warned = new Set<HealthStatus>(['paused', 'stale']);

/** The key may not see them, or another check reports the cause. */
const reportedElsewhere = new Set<string>(['insufficient_scope', 'unauthorized', 'unreachable']);

/** Looks at the health of every directory that the key may see. */
export async function checkDirectories(connection: Connection, signal: AbortSignal): Promise<Finding[]> {
  const { data: overview, error } = await createClient(connection).overview.get({ signal, timeoutMs });
  if (error) {
    const message = `The health of the directories could not be read: ${error.message}`;
    return [reportedElsewhere.has(error.code) ? skipped(message) : problem(message, 'Try again, and look at the log of the service.')];
  }
  const { directories, by_health: byHealth, unhealthy } = overview;
  if (directories === 0) return [skipped('There are no directories yet.')];
  const unlisted = unhealthyStatuses.reduce((sum, status) => sum + byHealth[status], 0) - unhealthy.length;
  const isWarned = unhealthy.some(({ health }) => warned.has(health.status));
  const others = (['healthy', 'waiting_for_first_push', 'deactivated'] as const).filter((status) => byHealth[status] > 0);
  const counts = others.map((status) => `${byHealth[status]} ${status.replaceAll('_', ' ')}`).join(', ');
  return [
    ...unhealthy.map(toFinding),
    ...(unlisted > 0
      ? [
          // Those that are only warned about are listed last.
          (isWarned ? warning : problem)(
            `${pluralize(unlisted, 'more directory', 'more directories')} not listed here.`,
            'List all: rollcall directories list --unhealthy --all',
          ),
        ]
      : []),
    ...(counts ? [ok(`Of ${pluralize(directories, 'directory', 'directories')}: ${counts}.`)] : []),
  ];
}

function toFinding(directory: UnhealthyDirectory): Finding {
  const { id, name, health, backlog, reason, last_error: lastError } = directory;
  const cause = reason ?? lastError?.message;
  const waiting = backlog > 0 ? `; ${pluralize(backlog, 'event')} ${backlog === 1 ? 'waits' : 'wait'}` : '';
  const message = `${name} (${id}) ${words[health.status]}${waiting}.${cause ? ` ${cause}` : ''}`;
  const command = findCommand(directory);
  return (warned.has(health.status) ? warning : problem)(message, command === undefined ? health.advice : `${health.advice} ${command}`);
}

const words: Record<HealthStatus, string> = {
  failing: 'is failing',
  disabled: 'has its delivery disabled',
  needs_authorization: 'is not authorized',
  needs_confirmation: 'has a sync that needs a confirmation',
  paused: 'has its delivery paused',
  stale: 'is stale',
  deactivated: 'is deactivated',
  waiting_for_first_push: 'waits for its first push',
  healthy: 'is healthy',
};

function findCommand({ id, type, health, last_error: lastError }: UnhealthyDirectory): string | undefined {
  switch (health.status) {
    case 'failing':
      return lastError === null && isPulledType(type) ? `See: rollcall syncs list ${id}` : `See: rollcall deliveries state ${id}`;
    case 'disabled':
      return `After the fix: rollcall deliveries resume ${id} --from backlog`;
    case 'paused':
      return `To continue: rollcall deliveries resume ${id}`;
    case 'needs_confirmation':
      return `See: rollcall syncs list ${id}`;
    case 'stale':
      return isPulledType(type) ? `See: rollcall syncs list ${id}` : `See: rollcall directories requests ${id}`;
    case 'needs_authorization':
    case 'waiting_for_first_push':
    case 'deactivated':
    case 'healthy':
      return undefined;
  }
}
