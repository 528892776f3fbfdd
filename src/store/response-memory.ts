import { createAsyncScope } from '../async-scope.ts';
import { AppError } from '../errors.ts';
import { createFairSlots } from '../fair-slots.ts';
import { createFairBytes } from './fair-bytes.ts';

export interface ResponseMemoryOptions {
  /** For all responses of this process together. */
  maxBytes: number;
  /** How long a read waits for room. */
  timeoutMs: number;
  maxWaiting?: number;
  maxWaitingPerDirectory?: number;
}

/** Of a response. A larger one takes a turn. */
const largeBytes = 262_144;
const largeAtOnce = 2;

/** What is loaded to be sent, from before it is read until the response has left. */
export interface ResponseMemory {
  /** What is read meanwhile is held until the response is closed; elsewhere until it was read. */
  during<Result>(response: { once(event: 'close', listener: () => void): unknown }, work: () => Promise<Result>): Promise<Result>;
  /** Waits for room for this much, reads, and then holds what it really was. */
  read<Found>(owner: string, bytes: number, load: () => Promise<Found>, weigh?: (found: Found) => number): Promise<Found>;
  /** Whether responses of some directories keep another one waiting. */
  isHeldByOthers(): boolean;
}

interface ResponseScope {
  isClosed: boolean;
  /** What is to be done then; most responses need none of it. */
  onClose?: Set<() => void>;
  /** What was read for it so far. */
  bytes: number;
  turn?: Promise<() => void> | undefined;
}

interface Leaving {
  signal: AbortSignal;
  abort(reason: Error): void;
}

/** Shared by the rules of `createFairBytes`. */
export function createResponseMemory({
  maxBytes,
  timeoutMs,
  maxWaiting = 500,
  maxWaitingPerDirectory = 50,
}: ResponseMemoryOptions): ResponseMemory {
  const bytesInFlight = createFairBytes({ maxBytes, maxWaiting, maxWaitingPerDirectory });
  // What waits for a turn holds memory, which bounds how many that are.
  const unbounded = { atOnce: Infinity, maxWaiting: Infinity, maxWaitingPerDirectory: Infinity };
  const turns = createFairSlots({ name: 'large responses', perDirectory: largeAtOnce, ...unbounded });
  const scopes = createAsyncScope<ResponseScope>();

  return {
    isHeldByOthers: bytesInFlight.isHeldByOthers,

    during(response, work) {
      const scope: ResponseScope = { isClosed: false, bytes: 0 };
      response.once('close', () => {
        scope.isClosed = true;
        for (const end of scope.onClose ?? []) end();
      });
      const working = scopes.run(scope, work);
      const endItsTurn = () => endTurn(scope);
      working.then(endItsTurn, endItsTurn);
      return working;
    },

    async read(owner, bytes, load, weigh) {
      const scope = scopes.get();
      // Who has a turn never waits for memory: those that hold it may wait for a turn.
      if (scope) endTurn(scope);
      const hold = scope ? await enterWithin(scope, owner, bytes) : await bytesInFlight.enter(owner, bytes, { timeoutMs });
      if (!hold) throw scope?.isClosed ? callerLeft() : overloaded();
      try {
        // What a page takes is known when it was read. Until then it has its place among the reads.
        if (scope && !weigh) await takeTurn(scope, owner, bytes);
        const found = await load();
        const weight = weigh ? weigh(found) : bytes;
        hold.resize(weight);
        if (scope) {
          scope.bytes += weight;
          await takeTurn(scope, owner, scope.bytes);
        }
        if (scope && !scope.isClosed) (scope.onClose ??= new Set()).add(hold.release);
        else hold.release();
        return found;
      } catch (error) {
        hold.release();
        throw error;
      }
    },
  };

  /**
   * Large responses of one directory take turns until their JSON is made, so that they delay nobody else. A turn is not worth an error: one that
   * does not come in time is gone without.
   */
  async function takeTurn(scope: ResponseScope, owner: string, bytes: number): Promise<void> {
    if (bytes <= largeBytes) return;
    scope.turn ??= untilClosed(scope, async ({ signal, abort }) => {
      const timer = setTimeout(() => abort(lateTurn), timeoutMs);
      return turns
        .enter(owner, signal)
        .catch((error: unknown) => {
          if (error !== lateTurn) throw error;
          return () => undefined;
        })
        .finally(() => clearTimeout(timer));
    });
    await scope.turn;
  }

  function endTurn(scope: ResponseScope): void {
    void scope.turn?.then(
      (leave) => leave(),
      () => undefined,
    );
    scope.turn = undefined;
  }

  /** Nobody waits for room for a response that is closed. */
  function enterWithin(scope: ResponseScope, owner: string, bytes: number) {
    return untilClosed(scope, ({ signal }) => bytesInFlight.enter(owner, bytes, { timeoutMs, signal }));
  }

  async function untilClosed<Result>(scope: ResponseScope, work: (leaving: Leaving) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const leave = () => controller.abort(callerLeft());
    if (scope.isClosed) leave();
    const onClose = (scope.onClose ??= new Set());
    onClose.add(leave);
    try {
      return await work({ signal: controller.signal, abort: (reason) => controller.abort(reason) });
    } finally {
      onClose.delete(leave);
    }
  }

  function overloaded() {
    return new AppError(
      'unavailable',
      `The responses in progress take all of the ${maxBytes} bytes that MAX_RESPONSES_BYTES allows; try again.`,
    );
  }
}

const lateTurn = new Error('The turn did not come in time.');
const callerLeft = () => new AppError('unavailable', 'The caller has left.');
