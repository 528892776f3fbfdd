import { createAsyncScope } from '../../shared/async-scope.ts';
import { AppError } from '../../errors.ts';
import { createFairSemaphore } from '../../shared/fair-semaphore.ts';
import type { Logger } from '../../logger.ts';
import { createFairBytes } from '../../shared/fair-bytes.ts';
import { withTimeout } from '../../shared/timeout.ts';

interface ResponseMemoryOptions {
  /** The budget for all responses of this process. */
  maxBytes: number;
  /** How long a read waits for room. */
  timeoutMs: number;
  maxWaiting?: number;
  maxWaitingPerDirectory?: number;
  /** How long a client may take to read a response while another directory waits for memory, plus the time at `heldBytesPerSecond`. */
  heldTimeoutMs?: number;
  log?: Pick<Logger, 'warn'>;
}

const heldBytesPerSecond = 10_000_000;
/** A larger response needs a slot. */
const largeBytes = 262_144;
const largePerDirectory = 2;

/** Accounts for memory of responses, from before their data is read until they are sent. */
export interface ResponseMemory {
  /** Memory of reads in `work` is held until the response is closed. Outside of `during` it is held until the read ends. */
  during<Result>(response: HeldResponse, work: () => Promise<Result>): Promise<Result>;
  /** Waits for room for `bytes`, reads, and then holds what `weigh` returns. */
  read<Found>(owner: string, bytes: number, load: () => Promise<Found>, weigh?: (found: Found) => number): Promise<Found>;
}

interface HeldResponse {
  /** The client left before, so there is no event. */
  destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy?(): unknown;
}

interface ResponseScope {
  response: HeldResponse;
  /** When the response was complete, so that only the client delays it. */
  writtenAtMs?: number;
  owner?: string;
  isClosed: boolean;
  /** Runs when the response closes. It is created on demand, because most responses need none. */
  onClose?: Set<() => void>;
  /** Memory that it holds. */
  bytes: number;
  slot?: Promise<() => void> | undefined;
}

/**
 * Shares memory by the rules of `createFairBytes`. While a directory waits for memory that others hold, slowly read responses of the directory
 * that holds most are closed one by one, unless the waiting directory would then hold more.
 */
export function createResponseMemory({
  maxBytes,
  timeoutMs,
  maxWaiting = 500,
  maxWaitingPerDirectory = 50,
  heldTimeoutMs = 1_000,
  log,
}: ResponseMemoryOptions): ResponseMemory {
  const bytesInFlight = createFairBytes({ maxBytes, maxWaiting, maxWaitingPerDirectory });
  const slots = createLargeSlots(timeoutMs);
  const scopes = createAsyncScope<ResponseScope>();
  const holders = createHolders({ wantedBytes: bytesInFlight.heldUp, heldTimeoutMs, log });

  return {
    during(response, work) {
      const scope: ResponseScope = { response, isClosed: response.destroyed === true, bytes: 0 };
      response.once('close', () => {
        scope.isClosed = true;
        holders.delete(scope);
        for (const end of scope.onClose ?? []) end();
      });
      const working = scopes.run(scope, work);
      const endWriting = () => {
        // The next large response is serialized after a turn of the event loop. Otherwise all that wait would be serialized in this one.
        setImmediate(() => slots.leave(scope));
        scope.writtenAtMs = performance.now();
      };
      working.then(endWriting, endWriting);
      return working;
    },

    async read(owner, bytes, load, weigh) {
      const scope = scopes.get();
      // A response that holds a slot must not wait for memory: others that hold memory may wait for the slot.
      if (scope) slots.leave(scope);
      const entering = scope ? enterWithin(scope, owner, bytes) : bytesInFlight.enter(owner, bytes, { timeoutMs });
      holders.watch();
      const hold = await entering;
      if (!hold) throw scope?.isClosed ? callerLeft() : overloaded(maxBytes);
      try {
        // The size of a page is known after the read. Until then the concurrency limit of reads applies.
        if (scope && !weigh) await slots.enter(scope, owner, bytes);
        const found = await load();
        const weight = weigh ? weigh(found) : bytes;
        hold.resize(weight);
        if (scope) {
          scope.bytes += weight;
          await slots.enter(scope, owner, scope.bytes);
        }
        if (scope && !scope.isClosed) {
          (scope.onClose ??= new Set()).add(hold.release);
          holders.add(scope, owner);
        } else hold.release();
        return found;
      } catch (error) {
        hold.release();
        throw error;
      }
    },
  };

  /** Stops waiting when the response is closed. */
  function enterWithin(scope: ResponseScope, owner: string, bytes: number) {
    return untilClosed(scope, (signal) => bytesInFlight.enter(owner, bytes, { timeoutMs, signal }));
  }
}

interface HoldersOptions extends Required<Pick<ResponseMemoryOptions, 'heldTimeoutMs'>> {
  /** How much the next waiting directory would hold, if it waits for memory that others hold. */
  wantedBytes(): number | undefined;
  log: ResponseMemoryOptions['log'];
}

/** The responses that hold memory. Closes slowly read ones while another directory waits for it. */
function createHolders({ wantedBytes, heldTimeoutMs, log }: HoldersOptions) {
  const holding = new Set<ResponseScope>();
  let timer: NodeJS.Timeout | undefined;

  return {
    add(scope: ResponseScope, owner: string): void {
      scope.owner = owner;
      holding.add(scope);
    },
    delete: (scope: ResponseScope) => holding.delete(scope),
    /** It must be called after a read began to wait. */
    watch(): void {
      if (wantedBytes() !== undefined) timer ??= setInterval(closeSlowest, heldTimeoutMs).unref();
    },
  };

  function closeSlowest(): void {
    const wanted = wantedBytes();
    if (wanted === undefined) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const sums = new Map<string, number>();
    for (const { owner, bytes } of holding) sums.set(owner!, (sums.get(owner!) ?? 0) + bytes);
    const [most] = [...sums].sort(([, one], [, other]) => other - one);
    if (!most || most[1] < wanted) return;
    const [slowest] = [...holding]
      .filter((scope) => scope.owner === most[0] && isReadSlowly(scope))
      .sort((one, other) => other.bytes - one.bytes);
    if (!slowest) return;
    log?.warn(
      { directoryId: most[0], bytes: slowest.bytes },
      'closed a response that its client reads too slowly: another directory waits for the memory',
    );
    slowest.response.destroy?.();
  }

  function isReadSlowly({ writtenAtMs, bytes }: ResponseScope): boolean {
    return writtenAtMs !== undefined && performance.now() - writtenAtMs > heldTimeoutMs + (bytes / heldBytesPerSecond) * 1_000;
  }
}

/** Limits how many large responses of a directory are serialized at the same time, so that they do not delay other directories. */
function createLargeSlots(timeoutMs: number) {
  // Waiting responses already hold memory, which limits their number.
  const unbounded = { concurrency: Infinity, maxWaiting: Infinity, maxWaitingPerDirectory: Infinity };
  const slots = createFairSemaphore({ name: 'large responses', perDirectory: largePerDirectory, ...unbounded });

  return {
    /** Continues without a slot after the timeout, since this is no reason to fail. */
    async enter(scope: ResponseScope, owner: string, bytes: number): Promise<void> {
      if (bytes <= largeBytes) return;
      scope.slot ??= untilClosed(scope, (signal) =>
        withTimeout(timeoutMs, signal, (ending) => slots.enter(owner, ending)).catch(() => {
          signal.throwIfAborted();
          return () => undefined;
        }),
      );
      await scope.slot;
    },

    leave(scope: ResponseScope): void {
      void scope.slot?.then(
        (leave) => leave(),
        () => undefined,
      );
      scope.slot = undefined;
    },
  };
}

async function untilClosed<Result>(scope: ResponseScope, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const leave = () => controller.abort(callerLeft());
  if (scope.isClosed) leave();
  const onClose = (scope.onClose ??= new Set());
  onClose.add(leave);
  try {
    return await work(controller.signal);
  } finally {
    onClose.delete(leave);
  }
}

const overloaded = (maxBytes: number) =>
  new AppError('unavailable', `The responses in progress take all of the ${maxBytes} bytes that MAX_RESPONSES_BYTES allows; try again.`);

const callerLeft = () => new AppError('unavailable', 'The caller has disconnected.');

/**
 * SQL for the memory, in bytes, that a JSON document takes in this process. `json_weight` counts the text and an object for each value, about
 * twice the stored size. That estimate is enough for a small uncompressed document and avoids writing it out.
 */
export const jsonWeight = (json: string): string =>
  `case when pg_column_size(${json}) < 2048 and pg_column_compression(${json}) is null then 2 * pg_column_size(${json}) else json_weight(${json}) end`;
