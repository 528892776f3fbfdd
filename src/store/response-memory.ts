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

/** Shared by the rules of `createFairBytes`. */
export function createResponseMemory({
  maxBytes,
  timeoutMs,
  maxWaiting = 500,
  maxWaitingPerDirectory = 50,
}: ResponseMemoryOptions): ResponseMemory {
  const bytesInFlight = createFairBytes({ maxBytes, maxWaiting, maxWaitingPerDirectory });
  const scopes = createAsyncScope<(release: () => void) => void>();

  return {
    during(response, work) {
      let releases: (() => void)[] | undefined = [];
      response.once('close', () => {
        const all = releases ?? [];
        releases = undefined;
        for (const release of all) release();
      });
      return scopes.run((release) => (releases ? void releases.push(release) : release()), work);
    },

    async read(owner, bytes, load, weigh) {
      const hold = await bytesInFlight.enter(owner, bytes, { timeoutMs });
      if (!hold) throw overloaded();
      try {
        const found = await load();
        if (weigh) hold.resize(weigh(found));
        const keep = scopes.get();
        if (keep) keep(hold.release);
        else hold.release();
        return found;
      } catch (error) {
        hold.release();
        throw error;
      }
    },
  };

  function overloaded() {
    return new AppError(
      'unavailable',
      `The responses in progress take all of the ${maxBytes} bytes that MAX_RESPONSES_BYTES allows; try again.`,
    );
  }
}
