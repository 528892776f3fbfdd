/** How soon work goes on elsewhere when the process that does it dies. Nothing of it depends on how long a webhook or a page takes. */

/** After this time without a heartbeat another worker begins the activity again. */
export const heartbeatTimeoutMs = 3_000;
/** A third of it: an event loop that is blocked for a second or two does not make a worker look dead. */
export const heartbeatEveryMs = 1_000;
/** A workflow task that a dead worker had begun goes to another one after this time. */
export const workflowTaskTimeoutMs = 3_000;
/** Likewise one that lies in the queue of a dead worker. That worker need not be dead: the other one reads the history again. */
export const stickyTimeoutMs = 2_000;
/** How long a worker that is stopped waits for its tasks. Longer than the longest wait of a local activity for its next attempt. */
export const forceEndMs = 8_000;

/** The first failure of an activity is followed by its next attempt after this time. */
export const firstWaitMs = 200;
/**
 * The retry policy of an activity. A worker that died is no reason to wait, however often it happened: Temporal tries again as soon as it knows.
 * Failures wait longer and longer, because the activity's worker says so (retries.ts).
 */
export const retryUpTo = (longestWaitMs: number) => ({
  initialInterval: firstWaitMs,
  backoffCoefficient: 1,
  maximumInterval: longestWaitMs,
});
