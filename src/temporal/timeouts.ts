/** How soon work continues elsewhere after its process died. None of it depends on how long a webhook or a page takes. */

/** Without a heartbeat for this long, another worker starts the activity again. */
export const heartbeatTimeoutMs = 3_000;
/** Heartbeats are sent three times per timeout, so that an event loop blocked for a second or two does not make a worker look dead. */
export const heartbeatEveryMs = heartbeatTimeoutMs / 3;
/**
 * The same for a delivery that drains for up to an hour. It is a fallback: the lease of its worker shows sooner that the worker is dead, and
 * costs Temporal nothing. A heartbeat of a thousand deliveries each three minutes took 0.05 cores.
 */
export const drainHeartbeatTimeoutMs = 1_800_000;
/** After this, a workflow task that a dead worker had started goes to another worker. */
export const workflowTaskTimeoutMs = 3_000;
/** After this, so does a task in a dead worker's sticky queue. If that worker is alive after all, the other one replays the history. */
export const stickyTimeoutMs = 2_000;
/** How long a stopping worker waits for its tasks. It must be longer than the longest retry delay of a local activity. */
export const forceEndMs = 8_000;

/** The delay before an activity's second attempt. */
export const firstWaitMs = 200;
/**
 * The retry policy of an activity. The delay does not grow after a worker's death: Temporal retries as soon as it notices. After a failure
 * it grows, because the activity's worker sets it (activity-interceptors.ts).
 */
export const retryUpTo = (maxDelayMs: number) => ({
  initialInterval: firstWaitMs,
  backoffCoefficient: 1,
  maximumInterval: maxDelayMs,
});
