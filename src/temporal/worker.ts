import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { waitAtMost } from '../shared/timeout.ts';
import type { Logger } from '../logger.ts';
import { createEnvelopeInterceptors, createRetryInterceptors } from './activity-interceptors.ts';
import { forceEndMs, heartbeatEveryMs, stickyTimeoutMs } from './timeouts.ts';

export interface RollcallWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  activities: Activities;
  /** A prebuilt bundle starts faster than a folder. */
  workflowBundlePath: string;
  dataConverter: NonNullable<WorkerOptions['dataConverter']>;
  maxActivities: number;
  maxCachedWorkflows: number;
  log: Logger;
}

export interface RunningWorker {
  isRunning(): boolean;
  /** Takes no more tasks, and finishes those in progress. */
  stop(): Promise<void>;
}

/** Restarts the worker if it fails, so that it is there when a Temporal server comes back. */
export async function startWorker(options: RollcallWorkerOptions): Promise<RunningWorker> {
  const { log, taskQueue } = options;
  let stopping = false;
  let worker = await createWorker(options);
  const ended = run();
  return {
    isRunning: () => worker.getState() === 'RUNNING',
    async stop() {
      stopping = true;
      if (worker.getState() === 'RUNNING') worker.shutdown();
      const isDone = await waitAtMost(forceEndMs, ended);
      if (!isDone) log.warn({ taskQueue }, 'a worker could not finish its tasks in time; they continue elsewhere, or after the next start');
    },
  };

  async function run() {
    while (!stopping) {
      try {
        if (worker.getState() !== 'INITIALIZED') worker = await createWorker(options);
        if (!stopping) await worker.run();
      } catch (error) {
        if (stopping) return;
        log.error({ taskQueue, error: toLoggableMessage(error as Error) }, 'a worker failed and is started again');
        await sleep(1_000);
      }
    }
  }
}

/**
 * The SDK limits the time of each call into a workflow's sandbox, and Node starts and joins a thread for each such limit. A change needs
 * about ten calls; the threads took a tenth of its CPU time. Rollcall's workflows contain no loop that could run for long.
 */
class WorkerWithoutCallTimeouts extends Worker {
  protected static override createWorkflowCreator(...[bundle, options, logger]: Parameters<typeof Worker.createWorkflowCreator>) {
    return super.createWorkflowCreator(bundle, { ...options, isolateExecutionTimeoutMs: undefined as unknown as number }, logger);
  }
}

function createWorker(options: RollcallWorkerOptions): Promise<Worker> {
  const { connection, namespace, taskQueue, activities, workflowBundlePath, dataConverter, maxActivities, maxCachedWorkflows } = options;
  return WorkerWithoutCallTimeouts.create({
    connection,
    namespace,
    taskQueue,
    activities,
    dataConverter,
    interceptors: { activity: [createRetryInterceptors, createEnvelopeInterceptors] },
    workflowBundle: { codePath: workflowBundlePath },
    maxConcurrentActivityTaskExecutions: maxActivities,
    maxCachedWorkflows,
    stickyQueueScheduleToStartTimeout: stickyTimeoutMs,
    // Otherwise the SDK delays heartbeats for most of their timeout.
    maxHeartbeatThrottleInterval: heartbeatEveryMs,
    shutdownGraceTime: '2 seconds',
    // No `shutdownForceTime`: Temporal's core panics if a worker is forced to end during a local activity. An activity that can't finish,
    // for example because its database hangs, is abandoned until the process ends.
  });
}
