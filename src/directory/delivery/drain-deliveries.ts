import type { SendResult, SendWebhook } from './exchange.ts';
import { freeze, type FreezeLimits } from './freeze.ts';
import type { LaneStarts } from './lane-starts.ts';
import { judgeFailure, type RetryPolicy } from './judge-failure.ts';
import type {
  Attempt,
  Batch,
  Concluded,
  DeliveryStore,
  DueBatch,
  Failure,
  HeldMemory,
  LaneMemory,
  OpenBatch,
  RunningReplay,
  SequenceWatch,
  TakenLane,
} from './ports.ts';
import { createReadAhead, memoryTimeoutMs, toHeldBytes } from './read-ahead.ts';
import { rangeAt } from './replay-ranges.ts';

export type Drained = { kind: 'drained' | 'more' | 'resting' | 'gone' } | { kind: 'retry'; delayMs: number };

export interface DrainDeps extends RetryPolicy {
  store: DeliveryStore;
  laneStarts: LaneStarts;
  memory: LaneMemory;
  watch: SequenceWatch;
  send: SendWebhook;
  /** Unset: one event to a request, as it happens. */
  batchSize: number | undefined;
  /** How long to look for more after the last event, before changes must wake somebody again. */
  lingerMs: number;
  now?: () => number;
  /** The process died so often over this delivery that it is not begun again until an operator resumes it. */
  onDisabled?: (reason: string) => void;
  /** For the person who asks why nothing arrives. */
  onConcluded?: (attempt: Attempt, result: SendResult, failure: Failure | undefined) => void;
}

export interface DrainRun {
  /** This process stood still for so long that a successor may have begun. */
  hasStalled(): boolean;
  signal: AbortSignal;
  budgetMs: number;
  /** For one whole exchange. */
  timeoutMs: number;
}

/** Delivers a directory's events in their order until there are none, one has failed, or the time is up; then what is to be replayed. */
export async function drainDeliveries(deps: DrainDeps, directoryId: string, run: DrainRun): Promise<Drained> {
  const taken = await deps.laneStarts.takeLane(directoryId);
  if (taken === 'gone' || taken === 'resting') return { kind: taken };
  if ('retryInMs' in taken) return { kind: 'retry', delayMs: taken.retryInMs };
  if (taken.deaths >= maxDeaths) return disable(deps, taken);
  return deps.laneStarts.begin(taken, run.signal, (onConcluded) => createDrain(deps, taken, run, onConcluded).drain());
}

/** After this it is not begun again: it would end one process after the other. */
const maxDeaths = 4;

async function disable({ store, onDisabled }: DrainDeps, { lane, deaths }: TakenLane): Promise<Drained> {
  const reason = `The process ended unexpectedly each of the last ${deaths} times that it began this delivery. Nothing is lost: resume it when the cause is fixed.`;
  if (!(await store.disable(lane, reason))) return { kind: 'more' };
  onDisabled?.(reason);
  return { kind: 'resting' };
}

function createDrain(
  deps: DrainDeps,
  taken: TakenLane,
  { hasStalled, signal, budgetMs, timeoutMs }: DrainRun,
  onStartConcluded: () => void,
) {
  const { store, laneStarts, memory, watch, send, batchSize, lingerMs, now = Date.now } = deps;
  const { lane, directory } = taken;
  const until = now() + budgetMs;
  const limits: FreezeLimits = { asArray: batchSize !== undefined, maxEvents: batchSize ?? 1 };
  // What is written after a delivery in batches was asked for waits for the next time.
  const upTo = batchSize === undefined ? Infinity : taken.lastSequence;
  const reading = { directoryId: directory.id, batchSize: limits.maxEvents, signal };
  const ahead = createReadAhead(deps, { ...reading, beforeWait: () => replayAhead.close() });
  const replayAhead = createReadAhead(deps, { ...reading, beforeWait: () => ahead.close() });
  /** For the body of an open batch. */
  let heldBody: HeldMemory | undefined;
  let { ackedSequence, lastSequence, batchLimit, suspectUntil, head } = taken;
  let isStartCounted = true;
  let delivered: (Concluded & { batchLimit: number | undefined }) | undefined;
  let replay: RunningReplay | undefined;
  const usedSecretIds = new Set<string>();
  // While it watches, the wake flag is up, and changes wake nobody: it must not leave without taking it down.
  let isWatching = false;
  let hasDelivered = false;

  return {
    async drain(): Promise<Drained> {
      try {
        return await drainOn();
      } finally {
        for (const held of [ahead, replayAhead]) held.close();
        heldBody?.release();
        if (isStartCounted) await laneStarts.forgive(lane);
      }
    },
  };

  function setStartCounted(isCounted: boolean) {
    isStartCounted = isCounted;
    laneStarts.setCounted(lane, isCounted);
    if (!isCounted) onStartConcluded();
  }

  async function drainOn(): Promise<Drained> {
    for (;;) {
      const isOver = now() >= until || signal.aborted;
      const next = isOver ? undefined : ((await reopen(head)) ?? (await freezeLive()) ?? (await nextOfReplay()));
      // Everything is given back before it is tried again: another lane is in turn.
      if (next === 'no room' || next === 'settled') return { kind: 'more' };
      if (next && 'retryInMs' in next) return { kind: 'retry', delayMs: next.retryInMs };
      if (!next && !delivered) {
        if (isOver) {
          await clear();
          return { kind: 'more' };
        }
        const rested = await rest();
        if (rested) return rested;
        continue;
      }
      const turned = await store.turn(lane, { ...(delivered && { delivered }), ...next, countsStart: !isStartCounted });
      // Its successor counts the start of this one as a death until it is taken back.
      if (delivered && turned !== 'superseded') setStartCounted(false);
      if (next) setStartCounted(true);
      if (turned === 'superseded') return { kind: 'more' };
      if (turned === 'resting') return { kind: 'resting' };
      delivered = undefined;
      ({ lastSequence } = turned);
      if (!turned.attempt) {
        // What was to be sent was settled by somebody meanwhile: what we know of it is old.
        if (next) return { kind: 'more' };
        continue;
      }
      // What we send now could come after what a successor sends.
      if (hasStalled()) return { kind: 'more' };
      const failed = await attempt(turned.attempt);
      heldBody?.release();
      heldBody = undefined;
      if (failed) return failed;
    }
  }

  async function attempt(begun: Attempt): Promise<Drained | undefined> {
    const { batch, url, secrets, legacySignatures } = begun;
    const result = await send(
      {
        id: batch.id,
        url,
        body: batch.body,
        secrets,
        legacySignatures,
        ...(batch.replayId && { headers: { 'webhook-replay': batch.replayId } }),
      },
      { signal, timeoutMs },
    );
    for (const { id } of secrets) usedSecretIds.add(id);
    hasDelivered = true;
    if (result.outcome === 'success') {
      deps.onConcluded?.(begun, result, undefined);
      conclude(begun, result);
      return undefined;
    }
    const failure = judgeFailure(begun, result, deps);
    deps.onConcluded?.(begun, result, failure);
    const failed = await store.fail(lane, { attempt: begun, result }, failure);
    if (failed !== 'superseded') setStartCounted(false);
    if (failed !== 'kept') return { kind: 'more' };
    if (failure.kind === 'disable') return { kind: 'resting' };
    if (failure.kind === 'retry' && batch.kind === 'live') return { kind: 'retry', delayMs: failure.delayMs };
    return goOnAfter(batch, failure);
  }

  function conclude(begun: Attempt, result: SendResult) {
    const { batch } = begun;
    if (batch.kind === 'replay') {
      replay = { ...replay!, nextSequence: batch.toSequence + 1, head: undefined };
    } else {
      [head, ackedSequence] = [undefined, batch.toSequence];
      if (ackedSequence >= suspectUntil && batch.eventCount <= (batchLimit ?? 0)) batchLimit = grow(batchLimit);
    }
    // Without its body, whose memory is given back.
    const { body: _, ...sent } = batch;
    delivered = { attempt: { ...begun, batch: sent }, result, batchLimit };
  }

  function goOnAfter(batch: Batch, failure: Failure): undefined {
    if (failure.kind === 'split') {
      head = undefined;
      ({ batchLimit } = failure);
      suspectUntil = batch.toSequence;
    } else if (failure.kind === 'retry') {
      const { body, ...frozen } = batch;
      const open = { body: undefined, bytes: Buffer.byteLength(body), attempts: 0, failures: 0, clientErrors: 0 };
      replay = { ...replay!, head: { ...frozen, ...open, retryInMs: failure.delayMs } };
    } else {
      replay = undefined;
    }
    return undefined;
  }

  /** After a receiver was overcharged it gets twice as much each time it takes what it got. */
  function grow(limit: number | undefined): number | undefined {
    return limit === undefined || limit * 2 >= limits.maxEvents ? undefined : limit * 2;
  }

  async function reopen(open: OpenBatch | undefined): Promise<Next> {
    if (!open) return undefined;
    if (open.retryInMs > 0) return { retryInMs: open.retryInMs };
    const { body } = open;
    if (body !== undefined) return { open: { ...open, body } };
    for (const held of [ahead, replayAhead]) held.close();
    heldBody = await memory.enter(directory.id, toHeldBytes(open.bytes), { timeoutMs: memoryTimeoutMs, signal });
    if (!heldBody) return 'no room';
    const read = await store.readBody(directory.id, open.id);
    return read === undefined ? 'settled' : { open: { ...open, body: read } };
  }

  async function freezeLive(): Promise<Next> {
    const suspect = ackedSequence < suspectUntil;
    const maxEvents = Math.min(limits.maxEvents, batchLimit ?? Infinity);
    const last = Math.min(lastSequence, upTo, suspect ? suspectUntil : Infinity);
    // What was delivered is concluded before anything is waited for.
    const events = await ahead.between(ackedSequence, last, { waits: !delivered });
    if (events === 'no room') return delivered ? undefined : events;
    if (events.length === 0) return undefined;
    return { freeze: { ...freeze({ lane, directory }, events, { ...limits, maxEvents }), suspect } };
  }

  /** Live events come first: a replay is looked at again after each of its batches. */
  async function nextOfReplay(): Promise<Next> {
    if (!replay || delivered) return undefined;
    if (replay.head) return reopen(replay.head);
    const range = rangeAt(replay.ranges, replay.nextSequence);
    const events = range ? await replayAhead.between(range.after, range.upTo, { waits: true }) : [];
    if (events === 'no room') return events;
    if (events.length > 0) return { freeze: freeze({ lane, directory }, events, limits, replay.id) };
    if (range) {
      replay = { ...replay, nextSequence: range.upTo + 1 };
      return nextOfReplay();
    }
    await store.finishReplay(lane, replay.id);
    replay = undefined;
    return undefined;
  }

  /** A little at a time, so that nobody waits for it. */
  async function clear() {
    for (let steps = 0; steps < mostClearings && (await store.clearContent(lane)); steps += 1);
  }

  /** Nothing is left. Looks on for a while, so that a directory in use needs no waking for each change. */
  async function rest(): Promise<Drained | undefined> {
    const looksOn = batchSize === undefined && hasDelivered && now() + lingerMs < until;
    if (isWatching && !looksOn) {
      const ended = await store.endWatch(lane);
      if (ended === 'superseded') return { kind: 'more' };
      isWatching = false;
      ({ lastSequence } = ended);
      if (lastSequence > ackedSequence) return undefined;
    }
    if (!isWatching) {
      const rested = replay ?? (await store.rest(lane, { keepWatch: looksOn, usedSecretIds: [...usedSecretIds] }));
      if (rested === 'superseded') return { kind: 'more' };
      replay = rested;
      if (replay) return undefined;
      setStartCounted(false);
      if (!looksOn) {
        await clear();
        return { kind: 'drained' };
      }
      isWatching = true;
    }
    const last = await watch.waitFor(directory.id, ackedSequence, { timeoutMs: lingerMs, signal });
    hasDelivered = last !== undefined;
    lastSequence = last ?? lastSequence;
    return undefined;
  }
}

const mostClearings = 100;

/** What is sent next, or why nothing is: `settled` is a batch that somebody concluded meanwhile. */
type Next = { open: DueBatch } | { freeze: Batch } | { retryInMs: number } | 'no room' | 'settled' | undefined;
