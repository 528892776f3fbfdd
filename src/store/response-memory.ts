import { createAsyncScope } from '../shared/async-scope.ts';
import { AppError } from '../errors.ts';
import { createFairSlots } from '../shared/fair-slots.ts';
import type { Logger } from '../logger.ts';
import { createFairBytes } from './fair-bytes.ts';

export interface ResponseMemoryOptions {
  /** For all responses of this process together. */
  maxBytes: number;
  /** How long a read waits for room. */
  timeoutMs: number;
  maxWaiting?: number;
  maxWaitingPerDirectory?: number;
  /** For a response to be read while another directory waits for its memory, */
  heldTimeoutMs?: number;
  /** and at least so many of its bytes a second. */
  heldBytesPerSecond?: number;
  log?: Pick<Logger, 'warn'>;
}

/** Of a response. A larger one takes a turn. */
const largeBytes = 262_144;
const largeAtOnce = 2;

/** What is loaded to be sent, from before it is read until the response has left. */
export interface ResponseMemory {
  /** What is read meanwhile is held until the response is closed; elsewhere until it was read. */
  during<Result>(response: HeldResponse, work: () => Promise<Result>): Promise<Result>;
  /** Waits for room for this much, reads, and then holds what it really was. */
  read<Found>(owner: string, bytes: number, load: () => Promise<Found>, weigh?: (found: Found) => number): Promise<Found>;
}

interface HeldResponse {
  once(event: 'close', listener: () => void): unknown;
  destroy?(): unknown;
}

interface ResponseScope {
  response: HeldResponse;
  /** Since when nothing is left to be done but to read it. */
  writtenAtMs?: number;
  owner?: string;
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

/**
 * Shared by the rules of `createFairBytes`. While a directory waits for memory that others hold, responses that are read slowly are ended one by
 * one: of the directory that holds most, unless who waits would hold more.
 */
export function createResponseMemory({
  maxBytes,
  timeoutMs,
  maxWaiting = 500,
  maxWaitingPerDirectory = 50,
  heldTimeoutMs = 1_000,
  heldBytesPerSecond = 10_000_000,
  log,
}: ResponseMemoryOptions): ResponseMemory {
  const bytesInFlight = createFairBytes({ maxBytes, maxWaiting, maxWaitingPerDirectory });
  // What waits for a turn holds memory, which bounds how many that are.
  const unbounded = { atOnce: Infinity, maxWaiting: Infinity, maxWaitingPerDirectory: Infinity };
  const turns = createFairSlots({ name: 'large responses', perDirectory: largeAtOnce, ...unbounded });
  const scopes = createAsyncScope<ResponseScope>();
  /** The responses that hold memory. */
  const holding = new Set<ResponseScope>();
  let watch: NodeJS.Timeout | undefined;

  return {
    during(response, work) {
      const scope: ResponseScope = { response, isClosed: false, bytes: 0 };
      response.once('close', () => {
        scope.isClosed = true;
        holding.delete(scope);
        for (const end of scope.onClose ?? []) end();
      });
      const working = scopes.run(scope, work);
      const endWriting = () => {
        endTurn(scope);
        scope.writtenAtMs = performance.now();
      };
      working.then(endWriting, endWriting);
      return working;
    },

    async read(owner, bytes, load, weigh) {
      const scope = scopes.get();
      // Who has a turn never waits for memory: those that hold it may wait for a turn.
      if (scope) endTurn(scope);
      const entering = scope ? enterWithin(scope, owner, bytes) : bytesInFlight.enter(owner, bytes, { timeoutMs });
      if (bytesInFlight.heldUp() !== undefined) watch ??= setInterval(endSlowest, heldTimeoutMs).unref();
      const hold = await entering;
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
        if (scope && !scope.isClosed) {
          (scope.onClose ??= new Set()).add(hold.release);
          scope.owner = owner;
          holding.add(scope);
        } else hold.release();
        return found;
      } catch (error) {
        hold.release();
        throw error;
      }
    },
  };

  function endSlowest(): void {
    const wanted = bytesInFlight.heldUp();
    if (wanted === undefined) {
      clearInterval(watch);
      watch = undefined;
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
    log?.warn({ directoryId: most[0], bytes: slowest.bytes }, 'a response was not read, and ended: another directory waits for its memory');
    slowest.response.destroy?.();
  }

  function isReadSlowly({ writtenAtMs, bytes }: ResponseScope): boolean {
    return writtenAtMs !== undefined && performance.now() - writtenAtMs > heldTimeoutMs + (bytes / heldBytesPerSecond) * 1_000;
  }

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
