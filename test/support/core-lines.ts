/**
 * Temporal's core logs this when the server repeats a workflow task before the worker has completed the first one: after a freeze, or on a
 * busy machine. The second task waits for the first, so nothing is lost or done twice.
 */
const twoTasks = 'Trying to send a new WFT for a run which already has one!';

/** Whether a log line is an error of Temporal's core that Rollcall cannot prevent. */
export const isHarmlessCoreLine = (line: string) => line.includes(twoTasks);
