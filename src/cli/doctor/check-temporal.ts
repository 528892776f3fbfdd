import type { Config } from '../../config.ts';
import { StartupError } from '../../errors.ts';
import { connectTemporal, disconnectTemporal } from '../../temporal/connect.ts';
import { deliveryQueue, mutationQueue, searchAttributes, syncQueue } from '../../temporal/names.ts';
import { createFindings, type Finding } from './findings.ts';

const { ok, problem, warning, skipped } = createFindings('Temporal');
const grpcNotFound = 5;
const [workflowTasks, activityTasks] = [1, 2];
const connectTimeoutMs = 3_000;
const callTimeoutMs = 3_000;

type Connection = Awaited<ReturnType<typeof connectTemporal>>;

export async function checkTemporal(temporal: Config['temporal'] & { address: string }): Promise<Finding[]> {
  let connection: Connection;
  try {
    connection = await connectTemporal(temporal, connectTimeoutMs);
  } catch (error) {
    return [
      problem(
        error instanceof StartupError ? error.message : `Temporal does not respond at ${temporal.address}: ${(error as Error).message}`,
        'Check TEMPORAL_ADDRESS, the TEMPORAL_TLS settings, and for a firewall in between.',
      ),
    ];
  }
  try {
    const { namespace } = temporal;
    const reached = ok(`Temporal responds at ${temporal.address}.`);
    const found = await checkNamespace(connection, namespace);
    if (found.verdict === 'problem') return [reached, found];
    const [attributes, ...queues] = await Promise.all([
      checkAttributes(connection, namespace),
      ...[mutationQueue, deliveryQueue, syncQueue].map((queue) => checkPollers(connection, namespace, queue)),
    ]);
    return [reached, found, attributes, ...queues];
  } finally {
    void disconnectTemporal(connection).catch(() => undefined);
  }
}

const withDeadline = <T>(connection: Connection, call: () => Promise<T>) => connection.withDeadline(Date.now() + callTimeoutMs, call);

async function checkNamespace(connection: Connection, namespace: string): Promise<Finding> {
  try {
    await withDeadline(connection, () => connection.workflowService.describeNamespace({ namespace }));
    return ok(`The namespace ${namespace} exists.`);
  } catch (error) {
    const isMissing = (error as { code?: number }).code === grpcNotFound;
    return isMissing
      ? problem(`The namespace ${namespace} does not exist.`, 'Create it, or correct TEMPORAL_NAMESPACE.')
      : problem(
          `Temporal denied access to the namespace ${namespace}: ${(error as Error).message}`,
          'Check TEMPORAL_API_KEY or the client certificate.',
        );
  }
}

async function checkAttributes(connection: Connection, namespace: string): Promise<Finding> {
  const required = Object.entries(searchAttributes);
  try {
    const { customAttributes } = await withDeadline(connection, () => connection.operatorService.listSearchAttributes({ namespace }));
    const missing = required.filter(([name]) => !(name in customAttributes)).map(([name, type]) => `${name} (${type})`);
    if (missing.length === 0) return ok('The search attribute exists.');
    return problem(
      `The namespace lacks the search attribute ${missing.join(', ')}.`,
      'Run `rollcall migrate` with TEMPORAL_ADDRESS set; in Temporal Cloud, add it in the Cloud UI.',
    );
  } catch {
    return skipped('Search attributes cannot be listed here, as in Temporal Cloud.');
  }
}

async function checkPollers(connection: Connection, namespace: string, name: string): Promise<Finding> {
  try {
    const counts = await Promise.all(
      [workflowTasks, activityTasks].map(async (taskQueueType) => {
        const { pollers } = await withDeadline(connection, () =>
          connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType }),
        );
        return pollers?.length ?? 0;
      }),
    );
    if (counts.every((count) => count > 0)) return ok(`Workers poll the task queue ${name}.`);
    return warning(
      `No worker has polled the task queue ${name} recently.`,
      name === mutationQueue
        ? 'Run `rollcall api` or `rollcall start`.'
        : 'Run `rollcall worker` or `rollcall start`. Without one, nothing is delivered or synced.',
    );
  } catch (error) {
    return problem(
      `The task queue ${name} could not be checked: ${(error as Error).message}`,
      'Check whether these credentials may read the namespace.',
    );
  }
}
