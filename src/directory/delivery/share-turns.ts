import { AppError, StatementTimeoutError } from '../../errors.ts';
import { waitAtMost } from '../../shared/timeout.ts';
import { type BegunTurn, type DeliveryLane, type DeliveryStore, type DeliveryTurn, type SharedTurn, turnKey } from './ports.ts';

interface Waiter extends SharedTurn {
  bytes: number;
  resolve(begun: Promise<BegunTurn>): void;
}

/** More would delay the first of them. */
const [maxLanes, maxBytes] = [64, 262_144];
/** A turn that takes longer, for example because a row is locked, does not delay the next one. */
const holdMs = 100;
/** A larger body is sent to Postgres by itself. */
const maxBodyBytes = 32_768;

/**
 * Lanes that move on at the same time share a statement: those that arrive during one are in the next. A lane that the statement leaves out,
 * because its row is locked or another drain has it, takes its turn alone, and so does each of them after a failure.
 */
export function shareTurns(store: DeliveryStore): DeliveryStore['concludeAndBeginAttempt'] {
  const queues = { begin: createQueue(), move: createQueue(), conclude: createQueue() };

  return (lane, turn) => {
    const kind = kindOf(turn);
    return kind === undefined ? store.concludeAndBeginAttempt(lane, turn) : queues[kind](lane, turn);
  };

  function createQueue() {
    let waiting: Waiter[] = [];
    let isBusy = false;

    return (lane: DeliveryLane, turn: DeliveryTurn) =>
      new Promise<BegunTurn>((resolve) => {
        waiting.push({ lane, turn, bytes: turn.freeze?.body.length ?? 0, resolve });
        if (!isBusy) void work();
      });

    async function work() {
      isBusy = true;
      while (waiting.length > 0) {
        // Lanes that were woken together are in the same turn.
        await new Promise(setImmediate);
        await waitAtMost(holdMs, take(takeNext()));
      }
      isBusy = false;
    }

    function takeNext(): Waiter[] {
      let bytes = 0;
      const isFull = (waiter: Waiter, index: number) => index === maxLanes || (bytes += waiter.bytes) > maxBytes;
      const end = waiting.findIndex(isFull);
      const next = end === -1 ? waiting : waiting.slice(0, end);
      waiting = waiting.slice(next.length);
      return next;
    }
  }

  async function take(waiters: Waiter[]) {
    const begun = waiters.length > 1 ? await takeTogether(waiters) : new Map<string, Promise<BegunTurn>>();
    const left: Promise<unknown>[] = [];
    for (const { lane, turn, resolve } of waiters) {
      const shared = begun.get(turnKey(lane));
      const result = shared ?? store.concludeAndBeginAttempt(lane, turn);
      resolve(result);
      if (waiters.length === 1) left.push(result.catch(() => undefined));
    }
    await Promise.all(left);
  }

  async function takeTogether(waiters: Waiter[]): Promise<Map<string, Promise<BegunTurn>>> {
    try {
      return await store.takeTurns(waiters);
    } catch (error) {
      if (!isUncertain(error)) return new Map();
      return new Map(waiters.map(({ lane }) => [turnKey(lane), Promise.reject(error as Error)]));
    }
  }
}

/** The statement may have been committed, so a turn alone could begin the attempt a second time. The drains fail, and are retried. */
const isUncertain = (error: unknown) =>
  error instanceof AppError && error.code === 'unavailable' && !(error instanceof StatementTimeoutError);

/** The turns of lanes in normal operation: live events, one after the other, that are not logged. */
function kindOf({ delivered, open, freeze, countsStart = false }: DeliveryTurn): 'begin' | 'move' | 'conclude' | undefined {
  if (open || (freeze && (freeze.kind !== 'live' || freeze.body.length > maxBodyBytes))) return undefined;
  if (!delivered) return freeze && countsStart ? 'begin' : undefined;
  const { attempt, result } = delivered;
  if (attempt.logged || attempt.delivery.kind !== 'live' || result.error !== undefined) return undefined;
  return freeze ? 'move' : 'conclude';
}
