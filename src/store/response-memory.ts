import { createAsyncScope } from '../async-scope.ts';
import { AppError } from '../errors.ts';
import { createFairBytes } from './fair-bytes.ts';

export interface ResponseMemoryOptions {
  /** For all responses of this process together. */
  maxBytes: number;
  /** How long a read waits for room. */
  timeoutMs: number;
  maxWaiting?: number;
  maxWaitingPerDirectory?: number;
}

/** What is loaded to be sent, from before it is read until the response has left. */
export interface ResponseMemory {
  /** What is read meanwhile is held until the response is closed; elsewhere until it was read. */
  during<Result>(response: { once(event: 'close', listener: () => void): unknown }, work: () => Promise<Result>): Promise<Result>;
  /** Waits for room for this much, reads, and then holds what it really was. */
  read<Found>(owner: string, bytes: number, load: () => Promise<Found>, weigh?: (found: Found) => number): Promise<Found>;
}

interface ResponseScope {
  isClosed: boolean;
  onClose: Set<() => void>;
}

/** Shared by the rules of `createFairBytes`. */
export function createResponseMemory({
  maxBytes,
  timeoutMs,
  maxWaiting = 500,
  maxWaitingPerDirectory = 50,
}: ResponseMemoryOptions): ResponseMemory {
  const bytesInFlight = createFairBytes({ maxBytes, maxWaiting, maxWaitingPerDirectory });
  const scopes = createAsyncScope<ResponseScope>();

  return {
    during(response, work) {
      const scope: ResponseScope = { isClosed: false, onClose: new Set() };
      response.once('close', () => {
        scope.isClosed = true;
        for (const end of scope.onClose) end();
      });
      return scopes.run(scope, work);
    },

    async read(owner, bytes, load, weigh) {
      const scope = scopes.get();
      const hold = scope ? await enterWithin(scope, owner, bytes) : await bytesInFlight.enter(owner, bytes, { timeoutMs });
      if (!hold) throw scope?.isClosed ? new AppError('unavailable', 'The caller has left.') : overloaded();
      try {
        const found = await load();
        if (weigh) hold.resize(weigh(found));
        if (scope && !scope.isClosed) scope.onClose.add(hold.release);
        else hold.release();
        return found;
      } catch (error) {
        hold.release();
        throw error;
      }
    },
  };

  /** Nobody waits for room for a response that is closed. */
  async function enterWithin(scope: ResponseScope, owner: string, bytes: number) {
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    if (scope.isClosed) leave();
    scope.onClose.add(leave);
    try {
      return await bytesInFlight.enter(owner, bytes, { timeoutMs, signal: leaving.signal });
    } finally {
      scope.onClose.delete(leave);
    }
  }

  function overloaded() {
    return new AppError(
      'unavailable',
      `The responses in progress take all of the ${maxBytes} bytes that MAX_RESPONSES_BYTES allows; try again.`,
    );
  }
}
