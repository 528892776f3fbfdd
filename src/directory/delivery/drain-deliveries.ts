import { decideRetry, type RetryPolicy } from './decide-retry.ts';
import type { DrainSlots } from './drain-slots.ts';
import { createLaneEvents } from './lane-events.ts';
import type { DeliveryLaneStarts } from './delivery-lane-starts.ts';
import type {
  Attempt,
  ConcludedAttempt,
  DeliveryStore,
  Failure,
  DeliveryMemory,
  SendResult,
  SendWebhook,
  SequenceWatch,
  TakenLane,
} from './ports.ts';
import { createIdleWatch } from './idle-watch.ts';
import type { WorkerLease } from './worker-lease.ts';

/** `inactive`: the delivery is paused, disabled or has no webhook. `gone`: the directory was deleted. */
export type Drained = { kind: 'drained' | 'more' | 'inactive' | 'gone' } | { kind: 'retry'; delayMs: number };

export interface DrainDeps extends RetryPolicy {
  store: DeliveryStore;
  deliveryLaneStarts: DeliveryLaneStarts;
  lease: Pick<WorkerLease, 'workerId' | 'hold' | 'release'>;
  memory: DeliveryMemory;
  watch: SequenceWatch;
  send: SendWebhook;
  /** Events per request in batch mode. Undefined in real-time mode: one event per request. */
  batchSize: number | undefined;
  /** How long to watch for new events after the last one, before the bodies of delivered events are deleted. */
  quietMs: number;
  /** How long to watch in all, before the drain ends and changes must wake it again. */
  lingerMs: number;
  slots: DrainSlots;
  now?: () => number;
  /** An event for the operator was stored. */
  onAlerted?: () => void;
  /** The delivery was disabled because it crashed the process several times in a row. */
  onDisabled?: (reason: string) => void;
  onConcluded?: (attempt: Attempt, result: SendResult, failure: Failure | undefined) => void;
}

export interface DrainRun {
  activityId: string;
  signal: AbortSignal;
  /** How long the drain may take. If others need its place, it ends after 20 seconds. */
  budgetMs: number;
  /** One request, with the last byte of its response, must end within this time. */
  timeoutMs: number;
}

/** After this, a busy directory deletes the bodies of delivered events, and if places are scarce, it lets others deliver and queues again. */
const busyMs = 20_000;

/** A success is recorded after this time, unless the next attempt begins before. If the process dies meanwhile, the webhook is repeated. */
const maxUnrecordedMs = 200;

/** Delivers a directory's events in order, then its replays, until nothing is left, an attempt fails, or the time is up. */
export async function drainDeliveries(deps: DrainDeps, directoryId: string, run: DrainRun): Promise<Drained> {
  const { lease } = deps;
  const hasLapsed = await lease.hold();
  const taken = await deps.deliveryLaneStarts.takeLane(directoryId, { workerId: lease.workerId, activityId: run.activityId });
  if (taken === 'gone' || taken === 'inactive') return { kind: taken };
  if ('retryInMs' in taken) return { kind: 'retry', delayMs: taken.retryInMs };
  const leave = deps.slots.enter();
  try {
    if (taken.crashes >= maxCrashes) return await disable(deps, taken);
    const drained = await deps.deliveryLaneStarts.begin(taken, run.signal, (onConcluded) =>
      drainLane(deps, taken, { ...run, hasLapsed }, onConcluded),
    );
    return drained ?? { kind: 'more' };
  } finally {
    leave();
    lease.release(taken.lane);
  }
}

/** A delivery that crashes its process is not retried forever: it would crash one process after the other. */
const maxCrashes = 4;

async function disable({ store, onDisabled }: DrainDeps, { lane, crashes }: TakenLane): Promise<Drained> {
  const reason = `The process ended unexpectedly each of the last ${crashes} times that it began this delivery. Nothing is lost: resume the delivery when the cause is fixed.`;
  if (!(await store.disable(lane, reason))) return { kind: 'more' };
  onDisabled?.(reason);
  return { kind: 'inactive' };
}

interface LaneRun extends DrainRun {
  /** True if another worker may have taken the lane. */
  hasLapsed(): boolean;
}

async function drainLane(deps: DrainDeps, taken: TakenLane, run: LaneRun, onStartConcluded: () => void): Promise<Drained> {
  const { store, now = Date.now } = deps;
  const { lane, directory } = taken;
  const { hasLapsed, signal } = run;
  const startedAtMs = now();
  const endsAtMs = startedAtMs + run.budgetMs;
  let deletesAtMs = startedAtMs + busyMs;
  const events = createLaneEvents(deps, taken, deps.batchSize, signal);
  const { live, replays } = events;
  const start = createStart(deps.deliveryLaneStarts, lane, onStartConcluded);
  const idleWatch = createIdleWatch(deps, { lane, directoryId: directory.id, live, replays, signal, endsAtMs, onIdle: start.conclude });
  /** A success that the next statement records. */
  let delivered: (ConcludedAttempt & { batchLimit: number | undefined }) | undefined;
  let recordsAtMs = 0;

  try {
    return await drain();
  } finally {
    events.close();
    await start.end();
  }

  async function drain(): Promise<Drained> {
    for (;;) {
      const stepped = await step();
      if (stepped === 'again') continue;
      if (stepped !== 'idle') return stepped;
      const ended = await idleWatch.begin();
      if (ended) return { kind: ended };
    }
  }

  /** A function of its own: while a loop waits for more events, it would keep the body of the last delivery in memory. */
  async function step(): Promise<Drained | 'again' | 'idle'> {
    const yields = deps.slots.isScarce() && now() >= startedAtMs + busyMs;
    const isOver = yields || now() >= endsAtMs || signal.aborted || hasLapsed();
    if (!isOver && now() >= deletesAtMs) {
      await idleWatch.deleteDeliveredBodies();
      deletesAtMs = now() + busyMs;
    }
    const next = isOver ? undefined : await events.next(delivered !== undefined);
    // The lane ends, so that another one gets its memory.
    if (next === 'no room' || next === 'settled') return { kind: 'more' };
    if (next && 'retryInMs' in next) return { kind: 'retry', delayMs: next.retryInMs };
    // The statement that begins the next attempt records the success too.
    if (!next && delivered && !isOver && (await idleWatch.expectMore(recordsAtMs - now()))) return 'again';
    if (!next && !delivered) {
      if (!isOver) return 'idle';
      await idleWatch.deleteDeliveredBodies();
      return { kind: 'more' };
    }
    const countsStart = !start.isCounted();
    // Before the statement: if its response is lost, the start is taken back all the same.
    if (next) start.begin();
    const begun = await store.concludeAndBeginAttempt(lane, { ...(delivered && { delivered }), ...next, countsStart });
    if (begun === 'superseded') {
      // The lane belongs to another drain, and this one counted nothing.
      if (countsStart) start.conclude();
      return { kind: 'more' };
    }
    if (delivered) start.conclude();
    if (next) start.begin();
    if (begun === 'outdated') return { kind: 'more' };
    if (begun === 'inactive') return { kind: 'inactive' };
    // If this process ends before, the sweep tells the operator.
    if (delivered?.attempt.delivery.kind === 'live' && begun.isAlerted && (await store.announceRecovery(lane.directoryId)))
      deps.onAlerted?.();
    delivered = undefined;
    live.setLastSequence(begun.lastSequence);
    // Another process settled the delivery: our position is out of date.
    if (!begun.attempt) return next ? { kind: 'more' } : 'again';
    // The next owner of the lane may have sent later events already.
    if (hasLapsed()) return { kind: 'more' };
    const failed = await attempt(begun.attempt);
    events.releaseBody();
    return failed ?? 'again';
  }

  async function attempt(begun: Attempt): Promise<Drained | undefined> {
    const { delivery, secrets } = begun;
    const result = await sendBatch(deps.send, begun, run);
    idleWatch.noteAttempt(secrets);
    if (result.outcome === 'success') {
      deps.onConcluded?.(begun, result, undefined);
      events.acknowledge(delivery);
      // Without the body, whose memory is released.
      const { body: _, ...sent } = delivery;
      delivered = { attempt: { ...begun, delivery: sent }, result, batchLimit: live.batchLimit() };
      recordsAtMs = now() + maxUnrecordedMs;
      return undefined;
    }
    const failure = decideRetry(begun, result, deps);
    deps.onConcluded?.(begun, result, failure);
    const failed = await store.recordFailure(lane, { attempt: begun, result }, failure);
    if (failed !== 'superseded') start.conclude();
    if (failed === 'moved' || failed === 'superseded') return { kind: 'more' };
    if (failed === 'alerted') deps.onAlerted?.();
    if (failure.kind === 'disable') return { kind: 'inactive' };
    if (failure.kind === 'retry' && delivery.kind === 'live') return { kind: 'retry', delayMs: failure.delayMs };
    events.continueAfter(delivery, failure);
    return undefined;
  }
}

/** Whether a crash of this process would count against the lane: from the start of an attempt until its result is recorded. */
function createStart(deliveryLaneStarts: DeliveryLaneStarts, lane: TakenLane['lane'], onConcluded: () => void) {
  let isCounted = true;
  return {
    isCounted: () => isCounted,
    begin(): void {
      isCounted = true;
      deliveryLaneStarts.setCounted(lane, true);
    },
    conclude(): void {
      isCounted = false;
      deliveryLaneStarts.setCounted(lane, false);
      onConcluded();
    },
    async end(): Promise<void> {
      if (isCounted) await deliveryLaneStarts.uncount(lane);
    },
  };
}

function sendBatch(
  send: SendWebhook,
  { delivery, url, secrets, legacySignatures }: Attempt,
  { signal, timeoutMs }: DrainRun,
): Promise<SendResult> {
  return send(
    {
      id: delivery.id,
      url,
      body: delivery.body,
      secrets,
      legacySignatures,
      ...(delivery.replayId && { headers: { 'webhook-replay': delivery.replayId } }),
    },
    { signal, timeoutMs },
  );
}
