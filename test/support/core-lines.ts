/**
 * What Temporal's core says when the server has given a workflow task out again before the worker answered the first: after a freeze, or on a
 * busy machine. The later task waits for the earlier one, so nothing is lost or done twice.
 */
const twoTasks = 'Trying to send a new WFT for a run which already has one!';

/** Whether a line of the log is an error of Temporal's core that no product can prevent. */
export const isHarmlessCoreLine = (line: string) => line.includes(twoTasks);
