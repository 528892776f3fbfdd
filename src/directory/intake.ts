import { AppError } from '../errors.ts';
import { countJsonValues, estimateMemory } from '../shared/json-memory.ts';
import type { ToldEvents } from './event.ts';
import type { Mutation, Outcome } from './mutation.ts';
import type { Caller, Intake } from './ports.ts';
import { createWaitingMutations, tooManyWait, type WaitingOptions } from './waiting-mutations.ts';

/**
 * Has mutations applied, and settles each as soon as it is committed, where it is known with the events of its group. Rejects if they could
 * not be handed in.
 */
export type ApplyGroup = (mutations: Mutation[], settle: (outcome: Outcome, told?: ToldEvents) => void) => Promise<void>;

export interface IntakeOptions extends Partial<WaitingOptions> {
  apply: ApplyGroup;
  /** Workflows in flight at once, besides one for a large mutation. */
  lanes: number;
  /** How long a caller waits. */
  timeoutMs: number;
  /** How long one stuck directory can hold up a lane for the others. */
  laneHoldMs?: number;
  /** How long to wait for the next of the writers that were just answered, */
  lingerMs?: number;
  /** and how long for all of them. */
  maxLingerMs?: number;
}

interface Entry {
  mutation: Mutation;
  /** Counts on: the order in which mutations came. */
  arrival: number;
  /** Of a creation: what was asked, without the ids made for it. Equal for a request that was sent again. */
  request: string | undefined;
  /** As JSON. */
  bytes: number;
  /** What it takes of the memory of this process while it waits. */
  memoryBytes: number;
  /** Callers that still wait: identical creates share an entry, and each has a time of its own. */
  callers: number;
  outcome: Promise<Outcome>;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Group commit: while every lane is busy, or the directory's last change is under way, mutations wait and then share a
 * workflow. Changes of one directory keep their order, and directories take turns, so that one which has many waiting delays nobody
 * else's. Alone, a mutation starts at once, in a workflow of its own.
 */
export function createIntake(options: IntakeOptions): Intake {
  const { apply, lanes, timeoutMs, maxGroup = 64, laneHoldMs = 300, lingerMs = 15, maxLingerMs = 60 } = options;
  const waiting = createWaitingMutations<Entry>({ ...options, maxGroup });
  let arrivals = 0;
  const free: Record<Lane, number> = { small: lanes, large: 1 };
  let gathering: { until: number; endsAtMs: number; timer: NodeJS.Timeout } | undefined;
  const busyDirectories = new Set<string>();
  const creating = new Map<string, Entry>();

  return {
    async submit(mutation, caller) {
      caller?.throwIfLeft();
      const request = requestOf(mutation);
      const running = request === undefined ? undefined : creating.get(request);
      if (running) return inTime(running, caller);
      const entry = createEntry(mutation, { request, arrival: arrivals++ });
      for (const displaced of waiting.add(entry)) {
        forgetCreation(displaced);
        displaced.reject(tooManyWait());
      }
      if (request !== undefined) creating.set(request, entry);
      fillLanes();
      return inTime(entry, caller);
    },
  };

  function fillLanes() {
    const large = free.large > 0 ? waiting.takeLarge(busyDirectories) : undefined;
    if (large) void runGroup([large], 'large');
    if (gathering && waiting.countSmall() < gathering.until) return linger(gathering.until, gathering.endsAtMs);
    stopLingering();
    while (free.small > 0) {
      const group = waiting.takeGroup(busyDirectories);
      if (group.length === 0) return;
      void runGroup(group, 'small');
    }
  }

  /**
   * Writers that were just answered are back in a moment, and one workflow for all costs less than one for the first of them
   * and another for the rest. A lone writer never waits.
   */
  function gather(expected: number) {
    stopLingering();
    if (lingerMs > 0 && expected > 1 && waiting.countSmall() < expected) return linger(expected, performance.now() + maxLingerMs);
    fillLanes();
  }

  /** As long as they keep coming: on a busy machine many take a while to come back. */
  function linger(until: number, endsAtMs: number) {
    stopLingering();
    const startedMs = performance.now();
    const waitMs = Math.max(0, Math.min(lingerMs, endsAtMs - startedMs));
    const timer = setTimeout(() => {
      // Where this process was busy all the while, with its answers as a rule, it has not listened to those that are back already.
      const hasListened = performance.now() - startedMs < 1.5 * lingerMs;
      if (!hasListened && performance.now() < endsAtMs) return linger(until, endsAtMs);
      stopLingering();
      fillLanes();
    }, waitMs);
    gathering = { until, endsAtMs, timer };
  }

  function stopLingering() {
    clearTimeout(gathering?.timer);
    gathering = undefined;
  }

  async function runGroup(group: Entry[], lane: Lane) {
    free[lane] -= 1;
    const open = new Map(group.map((entry) => [entry.mutation.id, entry]));
    const unsettled = new Map<string, number>();
    for (const { mutation } of group) unsettled.set(mutation.directoryId, (unsettled.get(mutation.directoryId) ?? 0) + 1);
    for (const directoryId of unsettled.keys()) busyDirectories.add(directoryId);

    const close = (entry: Entry) => {
      open.delete(entry.mutation.id);
      forgetCreation(entry);
      const { directoryId } = entry.mutation;
      const left = unsettled.get(directoryId)! - 1;
      unsettled.set(directoryId, left);
      if (left === 0) busyDirectories.delete(directoryId);
    };
    // How many others wait when the first is answered: this one may be back before the last one is answered.
    let others: number | undefined;
    const freeLane = once(() => {
      clearTimeout(hold);
      free[lane] += 1;
    });
    const hold = setTimeout(() => {
      freeLane();
      fillLanes();
    }, laneHoldMs);

    try {
      await apply(
        group.map(({ mutation }) => mutation),
        (outcome) => {
          const entry = open.get(outcome.mutationId);
          if (!entry) return;
          others ??= waiting.countSmall();
          entry.resolve(outcome);
          close(entry);
          if (open.size > 0) return fillLanes();
          freeLane();
          if (lane === 'large') fillLanes();
          else gather(Math.min(maxGroup, Math.min(others, waiting.countSmall()) + group.length));
        },
      );
    } catch (error) {
      for (const entry of open.values()) entry.reject(error);
    } finally {
      for (const entry of open.values()) {
        entry.reject(unanswered());
        close(entry);
      }
      freeLane();
      fillLanes();
    }
  }

  /**
   * A caller that has waited long enough is told so. What is not handed in yet is taken back once nobody waits for it: all have waited
   * long enough, or have left. The rest may still happen.
   */
  function inTime(entry: Entry, caller: Caller | undefined): Promise<Outcome> {
    entry.callers += 1;
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        stopListening?.();
      };
      const giveUp = (error: Error) => {
        stopWaiting();
        entry.callers -= 1;
        if (entry.callers === 0) takeBack(entry);
        reject(error);
      };
      const timer = setTimeout(() => giveUp(unanswered()), timeoutMs);
      const stopListening = caller?.onLeave(giveUp);
      void entry.outcome.then(resolve, reject).then(stopWaiting);
    });
  }

  function takeBack(entry: Entry) {
    if (waiting.remove(entry)) forgetCreation(entry);
  }

  function forgetCreation(entry: Entry) {
    if (entry.request !== undefined && creating.get(entry.request) === entry) creating.delete(entry.request);
  }
}

/** A large mutation, which takes long, is not to keep the lanes from small ones of other directories. */
type Lane = 'small' | 'large';

function createEntry(mutation: Mutation, { request, arrival }: Pick<Entry, 'request' | 'arrival'>): Entry {
  const bytes = Buffer.byteLength(request ?? JSON.stringify(mutation));
  const memoryBytes = estimateMemory({ bytes, values: countJsonValues(mutation) });
  const entry = { mutation, request, arrival, bytes, memoryBytes, callers: 0 } as Entry;
  entry.outcome = new Promise<Outcome>((resolve, reject) => Object.assign(entry, { resolve, reject }));
  // Every waiting caller handles the failure; there may be none left.
  entry.outcome.catch(() => undefined);
  return entry;
}

/** Of a creation, what was asked without the ids that were made for it. */
function requestOf(mutation: Mutation): string | undefined {
  if (mutation.kind !== 'createUser' && mutation.kind !== 'createGroup') return undefined;
  const { kind, directoryId, resource } = mutation;
  return JSON.stringify([kind, directoryId, resource, mutation.kind === 'createGroup' ? mutation.members : []]);
}

const unanswered = () => new AppError('unavailable', 'The change could not be committed in time; try again.');

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    run();
  };
}
