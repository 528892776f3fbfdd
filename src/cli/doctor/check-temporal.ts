import type { Config } from '../../config.ts';
import { StartupError } from '../../errors.ts';
import { connectTemporal } from '../../temporal/connect.ts';
import { deliveryQueue, mutationQueue, searchAttributes, syncQueue } from '../../temporal/names.ts';
import { createFindings, type Finding } from './finding.ts';

const { ok, problem, warning, skipped } = createFindings('Temporal');
const grpcNotFound = 5;
const [workflowTasks, activityTasks] = [1, 2];
const connectPatienceMs = 3_000;
const callMs = 3_000;

type Connection = Awaited<ReturnType<typeof connectTemporal>>;

export async function checkTemporal(temporal: Config['temporal'] & { address: string }): Promise<Finding[]> {
  let connection: Connection;
  try {
    connection = await connectTemporal(temporal, connectPatienceMs);
  } catch (error) {
    return [
      problem(
        error instanceof StartupError ? error.message : `Temporal does not answer at ${temporal.address}: ${(error as Error).message}`,
        'Look at TEMPORAL_ADDRESS and the TEMPORAL_TLS settings, and whether a firewall is between.',
      ),
    ];
  }
  try {
    const { namespace } = temporal;
    const reached = ok(`Temporal answers at ${temporal.address}.`);
    const found = await checkNamespace(connection, namespace);
    if (found.verdict === 'problem') return [reached, found];
    const [attributes, ...queues] = await Promise.all([
      checkAttributes(connection, namespace),
      ...[mutationQueue, deliveryQueue, syncQueue].map((queue) => checkPollers(connection, namespace, queue)),
    ]);
    return [reached, found, attributes, ...queues];
  } finally {
    void connection.close().catch(() => undefined);
  }
}

const within = <T>(connection: Connection, call: () => Promise<T>) => connection.withDeadline(Date.now() + callMs, call);

async function checkNamespace(connection: Connection, namespace: string): Promise<Finding> {
  try {
    await within(connection, () => connection.workflowService.describeNamespace({ namespace }));
    return ok(`The namespace ${namespace} is there.`);
  } catch (error) {
    const isMissing = (error as { code?: number }).code === grpcNotFound;
    return isMissing
      ? problem(`Temporal has no namespace ${namespace}.`, 'Create it, or correct TEMPORAL_NAMESPACE.')
      : problem(
          `Temporal does not let us look at the namespace ${namespace}: ${(error as Error).message}`,
          'Look at TEMPORAL_API_KEY, or the client certificate.',
        );
  }
}

async function checkAttributes(connection: Connection, namespace: string): Promise<Finding> {
  const wanted = Object.entries(searchAttributes);
  try {
    const { customAttributes } = await within(connection, () => connection.operatorService.listSearchAttributes({ namespace }));
    const missing = wanted.filter(([name]) => !(name in customAttributes)).map(([name, type]) => `${name} (${type})`);
    if (missing.length === 0) return ok('The search attribute is there.');
    return problem(
      `The namespace lacks the search attribute ${missing.join(', ')}.`,
      'Run `rollcall migrate` with TEMPORAL_ADDRESS set; in Temporal Cloud add it there.',
    );
  } catch {
    return skipped('Search attributes may not be listed here, as in Temporal Cloud.');
  }
}

async function checkPollers(connection: Connection, namespace: string, name: string): Promise<Finding> {
  try {
    const counts = await Promise.all(
      [workflowTasks, activityTasks].map(async (taskQueueType) => {
        const { pollers } = await within(connection, () =>
          connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType }),
        );
        return pollers?.length ?? 0;
      }),
    );
    if (counts.every((count) => count > 0)) return ok(`Workers listen at the task queue ${name}.`);
    return warning(
      `No worker has listened at the task queue ${name} lately.`,
      name === mutationQueue
        ? 'Run `rollcall api` or `rollcall start`.'
        : 'Run `rollcall worker` or `rollcall start`: without it nothing is delivered or read.',
    );
  } catch (error) {
    return problem(
      `The task queue ${name} can't be looked at: ${(error as Error).message}`,
      'Look whether this user may read in the namespace.',
    );
  }
}
