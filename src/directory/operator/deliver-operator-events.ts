import type { SendWebhook } from '../delivery/exchange.ts';
import type { RetryPolicy } from '../delivery/classify-failure.ts';

export interface OperatorEvent {
  id: string;
  body: string;
  /** How often it was tried. */
  attempts: number;
  dueInMs: number;
}

export interface OperatorEventStore {
  /** Its oldest one. */
  first(): Promise<OperatorEvent | undefined>;
  postpone(id: string, delayMs: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Drops some that are older than 30 days, or more than may wait: the oldest of the directories that have most. Says how many. */
  dropUndelivered(limit: number): Promise<number>;
}

export interface OperatorEndpoint {
  url: string;
  secret: string | undefined;
}

export interface DeliverOperatorEventsDeps extends Pick<RetryPolicy, 'retryDelaysMs'> {
  operatorEvents: OperatorEventStore;
  /** To an address of the operator's own, which may be a private one. */
  sendToOperator: SendWebhook;
  operator: OperatorEndpoint | undefined;
  onGivenUp?: (event: OperatorEvent, error: string) => void;
}

/** Sends what waits, the oldest first; after a failure says how long to wait. One that the schedule is exhausted for is given up. */
export async function deliverOperatorEvents(
  { operatorEvents, sendToOperator, operator, retryDelaysMs, onGivenUp }: DeliverOperatorEventsDeps,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<{ retryInMs: number } | 'done'> {
  if (!operator) return 'done';
  const secrets = operator.secret === undefined ? [] : [{ id: 'operator', secret: operator.secret }];
  for (;;) {
    const event = await operatorEvents.first();
    if (!event) return 'done';
    if (event.dueInMs > 0) return { retryInMs: event.dueInMs };
    const { outcome, error = 'it failed' } = await sendToOperator(
      { id: `msg_${event.id}`, url: operator.url, body: event.body, secrets, legacySignatures: true },
      { signal, timeoutMs },
    );
    // Our own stopping is no failure of the receiver.
    if (outcome === 'aborted') return { retryInMs: 0 };
    const retryInMs = retryDelaysMs[event.attempts];
    if (outcome === 'success' || retryInMs === undefined) {
      if (outcome !== 'success') onGivenUp?.(event, error);
      await operatorEvents.remove(event.id);
    } else {
      await operatorEvents.postpone(event.id, retryInMs);
      return { retryInMs };
    }
  }
}
