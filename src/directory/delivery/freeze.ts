import { toEventPayload } from '../event.ts';
import { toDeliveryId } from './delivery-id.ts';
import type { Batch, StoredEvent, TakenLane } from './ports.ts';

export interface FreezeLimits {
  /** A single event travels as an object, as it always did, unless batches were asked for: then as an array, also alone. */
  asArray: boolean;
  maxEvents: number;
}

/** A batch ends before it grows beyond this; an event that is larger travels alone. */
export const maxBatchBytes = 256 * 1024;

/** Makes the exact bytes of a delivery of the first of these events, as many as the limits let. */
export function freeze(
  { lane, directory }: Pick<TakenLane, 'lane' | 'directory'>,
  events: StoredEvent[],
  { asArray, maxEvents }: FreezeLimits,
  replayId?: string,
): Batch {
  const texts: string[] = [];
  let bytes = 2;
  for (const event of events.slice(0, asArray ? maxEvents : 1)) {
    const text = JSON.stringify(toEventPayload(directory, { ...event, data: JSON.parse(event.data) as Record<string, unknown> }));
    const more = Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes + more > maxBatchBytes) break;
    texts.push(text);
    bytes += more;
  }
  const [fromSequence, toSequence] = [events[0]!.sequence, events[texts.length - 1]!.sequence];
  return {
    id: batchId(lane.endpointId, events[0]!, toSequence, replayId),
    kind: replayId === undefined ? 'live' : 'replay',
    ...(replayId !== undefined && { replayId }),
    fromSequence,
    toSequence,
    eventCount: texts.length,
    occurredAt: events[0]!.occurredAt,
    body: asArray ? `[${texts.join()}]` : texts[0]!,
    suspect: false,
  };
}

/**
 * Follows from what it covers: a batch that is frozen anew carries the id that receivers know. With the id of its first event: after a
 * database was set back to an earlier time, other events have the same places.
 */
function batchId(endpointId: string, first: StoredEvent, to: number, replayId = ''): string {
  return toDeliveryId([endpointId, first.sequence, to, first.id, replayId].join(':'));
}
