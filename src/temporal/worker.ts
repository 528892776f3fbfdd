import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
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
  /** Takes no more tasks, and ends what it has. */
  stop(): Promise<void>;
}

/** A worker that is started again should it ever fail: a Temporal server that comes back must find us. */
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
      const isLate = await Promise.race([ended, sleep(forceEndMs, true, { ref: false })]);
      if (isLate) log.warn({ taskQueue }, 'a worker could not finish its tasks in time; they go on elsewhere, or at the next start');
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

function createWorker(options: RollcallWorkerOptions): Promise<Worker> {
  const { connection, namespace, taskQueue, activities, workflowBundlePath, dataConverter, maxActivities, maxCachedWorkflows } = options;
  return Worker.create({
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
    // The SDK would otherwise hold heartbeats back for most of their timeout.
    maxHeartbeatThrottleInterval: heartbeatEveryMs,
    shutdownGraceTime: '2 seconds',
    // Without `shutdownForceTime`: Temporal's core panics if a worker is forced to end while it has a local activity. One that can't finish,
    // because its database hangs, say, is left to itself until the process ends.
  });
}
