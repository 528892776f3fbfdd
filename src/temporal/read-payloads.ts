import type { Payload, SerializationContext } from '@temporalio/common';
import { type Keyring, readSealedKeyId } from '../keyring.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import { createYieldToEventLoop } from '../shared/yield-to-event-loop.ts';
import { isSealed, openPayload, RejectedPayloadError } from './codec.ts';

/** A payload of an activity does not say of which one, so the activities of the workflow are tried, beginning near the last one found. */
const maxActivityId = 2_000;
/** Of one call. */
const maxTries = 20_000;
const maxTriedBytes = 200_000_000;
/** Of a process. */
const callsAtOnce = 1;

export type ReadPayloads = (workflowId: string, payloads: Payload[], signal: AbortSignal) => Promise<Payload[]>;

/** Opens payloads of a workflow and its activities, for people who look at them. What cannot be opened is returned as it is. */
export function createReadPayloads(keyring: Keyring, namespace: string): ReadPayloads {
  const { run } = createSemaphore(callsAtOnce);
  return (workflowId, payloads, signal) => run(() => readAll(workflowId, payloads, signal));

  async function readAll(workflowId: string, payloads: Payload[], signal: AbortSignal): Promise<Payload[]> {
    const pause = createYieldToEventLoop(() => signal.throwIfAborted());
    let [near, tries, bytes] = [1, 0, 0];
    const read: Payload[] = [];
    for (const payload of payloads) read.push(await readOne(payload));
    return read;

    async function readOne(payload: Payload): Promise<Payload> {
      const size = payload.data?.length ?? 0;
      if (!isSealed(payload) || !keyring.keyIds.includes(readSealedKeyId(payload.data ?? new Uint8Array()) ?? '')) return payload;
      for (const target of listTargets({ namespace, workflowId }, near)) {
        tries += 1;
        bytes += size;
        if (tries > maxTries || bytes > maxTriedBytes) break;
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
  }
}

/** Activities of a workflow are numbered. */
function* listTargets(workflow: { namespace: string; workflowId: string }, near: number): Generator<SerializationContext> {
  yield { type: 'workflow', ...workflow };
  for (let distance = 0; distance < maxActivityId; distance += 1)
    for (const id of new Set([near + distance, near - distance]))
      if (id > 0) for (const isLocal of [false, true]) yield { type: 'activity', ...workflow, activityId: String(id), isLocal };
}
