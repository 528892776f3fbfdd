import type { Payload, SerializationContext } from '@temporalio/common';
import type { Keyring } from '../keyring.ts';
import { createYieldToEventLoop } from '../shared/yield-to-event-loop.ts';
import { openPayload, RejectedPayloadError } from './codec.ts';

/** Of one call. A payload of an activity does not say of which one, so the activities of the workflow are tried, beginning near the last one found. */
const maxTries = 10_000;
const maxActivityId = 2_000;

export type ReadPayloads = (workflowId: string, payloads: Payload[]) => Promise<Payload[]>;

/** Opens payloads of a workflow and its activities, for people who look at them. What cannot be opened is returned as it is. */
export const createReadPayloads =
  (keyring: Keyring, namespace: string): ReadPayloads =>
  async (workflowId, payloads) => {
    const pause = createYieldToEventLoop();
    let [near, tries] = [1, 0];
    const read: Payload[] = [];
    for (const payload of payloads) read.push(await readOne(payload));
    return read;

    async function readOne(payload: Payload): Promise<Payload> {
      for (const target of listTargets({ namespace, workflowId }, near)) {
        tries += 1;
        if (tries > maxTries) break;
        await pause();
        try {
          const opened = openPayload(keyring, payload, target);
          if (target.type === 'activity') near = Number(target.activityId);
          return opened;
        } catch (error) {
          if (!(error instanceof RejectedPayloadError)) throw error;
        }
      }
      return payload;
    }
  };

/** Activities of a workflow are numbered. */
function* listTargets(workflow: { namespace: string; workflowId: string }, near: number): Generator<SerializationContext> {
  yield { type: 'workflow', ...workflow };
  for (let distance = 0; distance < maxActivityId; distance += 1)
    for (const id of new Set([near + distance, near - distance]))
      if (id > 0) for (const isLocal of [false, true]) yield { type: 'activity', ...workflow, activityId: String(id), isLocal };
}
