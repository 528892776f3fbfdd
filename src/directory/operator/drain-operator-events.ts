import type { Logger } from '../../logger.ts';
import type { RetryPolicy } from '../delivery/decide-retry.ts';
import type { SendWebhook } from '../delivery/ports.ts';

/**
 * Events about directories that are sent to the operator of the service. The first four exist in Polis too. `dsync.webhook_disabled` and
 * `dsync.confirmation_needed` are earlier names, which are sent beside the newer ones.
 */
export type OperatorEventType =
  | 'dsync.created'
  | 'dsync.activated'
  | 'dsync.deactivated'
  | 'dsync.deleted'
  | 'dsync.mutation_rejected'
  | 'dsync.sync_failed'
  | 'dsync.delivery.failing'
  | 'dsync.delivery.recovered'
  | 'dsync.delivery.disabled'
  | 'dsync.webhook_disabled'
  | 'dsync.webhook_enabled'
  | 'dsync.authorization_needed'
  | 'dsync.directory.stale'
  | 'dsync.sync.needs_confirmation'
  | 'dsync.confirmation_needed';

export interface OperatorEvent {
  id: string;
  body: string;
  attempts: number;
  dueInMs: number;
}

export interface OperatorEventStore {
  oldest(): Promise<OperatorEvent | undefined>;
  /** Counts the attempt, unless another sender counted one meanwhile. */
  postpone(event: Pick<OperatorEvent, 'id' | 'attempts'>, delayMs: number): Promise<void>;
  /** With `attempts`, an event that another sender has tried meanwhile stays. */
  remove(event: Pick<OperatorEvent, 'id'> & Partial<Pick<OperatorEvent, 'attempts'>>): Promise<void>;
  /**
   * Deletes events older than 30 days, and the oldest ones above the limit of waiting events,
   * from the directories with the most. Returns how many.
   */
  dropUndelivered(limit: number): Promise<number>;
}

interface OperatorEndpoint {
  url: string;
  secret: string | undefined;
}

export interface DrainOperatorEventsDeps extends Pick<RetryPolicy, 'retryDelaysMs'> {
  operatorEvents: OperatorEventStore;
  /** May send to private addresses: the operator chose the URL. */
  sendToOperator: SendWebhook;
  operator: OperatorEndpoint | undefined;
  onGivenUp?: (event: OperatorEvent, error: string) => void;
}

export const logGivenUp =
  (log: Logger): NonNullable<DrainOperatorEventsDeps['onGivenUp']> =>
  ({ id, attempts }, reason) =>
    log.error({ id, attempts: attempts + 1, reason }, 'an event for the operator is given up');

/** Sends the waiting events, oldest first. Returns the delay after a failure. An event is given up when its schedule is exhausted. */
export async function drainOperatorEvents(
  { operatorEvents, sendToOperator, operator, retryDelaysMs, onGivenUp }: DrainOperatorEventsDeps,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<{ retryInMs: number } | 'done'> {
  if (!operator) return 'done';
  const secrets = operator.secret === undefined ? [] : [{ id: 'operator', secret: operator.secret }];
  for (;;) {
    const event = await operatorEvents.oldest();
    if (!event) return 'done';
    if (event.dueInMs > 0) return { retryInMs: event.dueInMs };
    const { outcome, error = 'it failed' } = await sendToOperator(
      { id: `msg_${event.id}`, url: operator.url, body: event.body, secrets, legacySignatures: true },
      { signal, timeoutMs },
    );
    // Rollcall stopped: not a failure of the receiver.
    if (outcome === 'aborted') return { retryInMs: 0 };
    const { id, attempts } = event;
    const retryInMs = retryDelaysMs[attempts];
    if (outcome === 'success') {
      await operatorEvents.remove({ id });
    } else if (retryInMs === undefined) {
      onGivenUp?.(event, error);
      await operatorEvents.remove({ id, attempts });
    } else {
      await operatorEvents.postpone({ id, attempts }, retryInMs);
      return { retryInMs };
    }
  }
}
