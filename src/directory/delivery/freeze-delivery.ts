import { toEventPayload } from '../event.ts';
import type { Delivery, StoredEvent, TakenLane } from './ports.ts';
import { toDeliveryId } from './delivery-log.ts';

export interface FreezeLimits {
  /** Batch mode sends an array, even of one event. Real-time mode sends an object. */
  asArray: boolean;
  maxEvents: number;
}

/** Size limit of a delivery. A larger event is sent alone. */
export const maxDeliveryBytes = 256 * 1024;

/** Creates a delivery from the first of these events, as many as the limits allow. */
export function freezeDelivery(
  { lane, directory }: Pick<TakenLane, 'lane' | 'directory'>,
  events: StoredEvent[],
  { asArray, maxEvents }: FreezeLimits,
  replayId?: string,
): Delivery {
  const texts: string[] = [];
  let bytes = 2;
  for (const event of events.slice(0, asArray ? maxEvents : 1)) {
    const data = JSON.parse(event.data) as Record<string, unknown>;
    const text = JSON.stringify(toEventPayload(directory, { ...event, data }, replayId === undefined ? {} : { reason: 'replay' }));
    const more = Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes + more > maxDeliveryBytes) break;
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
 * Derived from the events, so that a delivery that is frozen again has the same ID. Includes the ID of the first event: after a database is
 * restored from a backup, other events get the same sequences.
 */
function batchId(endpointId: string, first: StoredEvent, to: number, replayId = ''): string {
  return toDeliveryId([endpointId, first.sequence, to, first.id, replayId].join(':'));
}
