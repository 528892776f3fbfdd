import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../ids.ts';
import { pauseFor } from '../../shared/pause-for.ts';
import type { DeliveryLane, WorkerLeaseStore } from './ports.ts';
import { createRecoverDeadWorkers, type RecoverDeadWorkersDeps } from './recover-dead-workers.ts';

/**
 * One lease for all delivery lanes of this process, renewed each second. When it has expired, another worker restarts the drains of this one,
 * which costs nothing per lane while all is well.
 */
export interface WorkerLease {
  workerId: string;
  /** Renews the lease if it has lapsed. The result tells whether it has lapsed since: then another worker may have taken the lane. */
  hold(): Promise<() => boolean>;
  /** Holds the lease before this process delivers anything. A database that is busy when it starts has some time to respond. */
  holdAtStart(): Promise<void>;
  /** The drain of this lane has ended. */
  release(lane: DeliveryLane): void;
  /** Begins to renew the lease, and to restart the drains of dead workers. */
  start(): void;
  /** Call it when no drain runs any more. */
  stop(): Promise<void>;
}

export interface WorkerLeaseDeps extends RecoverDeadWorkersDeps {
  store: WorkerLeaseStore;
  workerId?: string;
  leaseMs?: number;
  renewEveryMs?: number;
}

const retryMs = 250;
const maxStartMs = 30_000;
const lanesPerStep = 100;

export function createWorkerLease(deps: WorkerLeaseDeps): WorkerLease {
  const { store, workerId = newId(), leaseMs = 3_000, renewEveryMs = 1_000, now = () => performance.now() } = deps;
  /** After an outage of Postgres all leases have expired. Live workers renew theirs in this time. */
  const graceMs = leaseMs / 2;
  const stopping = new AbortController();
  const recoverDeadWorkers = createRecoverDeadWorkers(deps, stopping.signal);
  let isHeld = false;
  let lapses = 0;
  let [heldSinceMs, renewedAtMs] = [0, 0];
  let renewing: ReturnType<typeof renew> | undefined;
  let released: DeliveryLane[] = [];
  let releasing: Promise<void> | undefined;
  let running: Promise<void> | undefined;

  return {
    workerId,
    async hold() {
      if (hasLapsed()) await renewOnce();
      const before = lapses;
      return () => hasLapsed() || lapses !== before;
    },
    async holdAtStart() {
      const untilMs = now() + maxStartMs;
      while (!isHeld)
        await renewOnce().catch(async (error: unknown) => {
          if (now() >= untilMs || stopping.signal.aborted) throw error;
          await pauseFor(retryMs, stopping.signal);
        });
    },
    release: (lane) => void released.push(lane),
    start: () => void (running ??= run()),
    async stop() {
      stopping.abort();
      await running;
      await releasing;
      await releaseLanes();
      if (isHeld) await store.endLease(workerId).catch(() => undefined);
    },
  };

  /** Timers may run late after this process was suspended, so each call compares the time. */
  function hasLapsed(): boolean {
    if (isHeld && now() - renewedAtMs >= leaseMs) {
      isHeld = false;
      lapses += 1;
    }
    return !isHeld;
  }

  function renewOnce() {
    return (renewing ??= renew().finally(() => (renewing = undefined)));
  }

  /** The lease counts from before the statement, so it ends here before it ends in Postgres. */
  async function renew() {
    const startedAtMs = now();
    const others = await store.renewLease(workerId, leaseMs);
    if (hasLapsed()) heldSinceMs = now();
    isHeld = true;
    renewedAtMs = startedAtMs;
    return others;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const nextMs = await tick().catch(() => retryMs);
      await sleep(nextMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /** Returns when to look again: at the latest when the lease of another worker would expire. */
  async function tick(): Promise<number> {
    const others = await renewOnce();
    void releaseLanes();
    const graceLeftMs = heldSinceMs + graceMs - now();
    const dead = others.filter(({ leftMs }) => leftMs <= 0).map(({ id }) => id);
    if (dead.length > 0 && graceLeftMs <= 0) void recoverDeadWorkers(dead);
    const soonestMs = Math.min(...others.map(({ leftMs }) => leftMs).filter((leftMs) => leftMs > 0));
    const judgesInMs = dead.length > 0 && graceLeftMs > 0 ? graceLeftMs : soonestMs;
    return Math.min(renewEveryMs, judgesInMs + 10);
  }

  function releaseLanes(): Promise<void> {
    return (releasing ??= releaseEach().finally(() => (releasing = undefined)));
  }

  /** Lanes that are locked, or that an outage prevents from being released, are released after the next renewal. */
  async function releaseEach(): Promise<void> {
    const lanes = released;
    released = [];
    while (lanes.length > 0) {
      const step = lanes.splice(0, lanesPerStep);
      try {
        released.push(...(await store.releaseLanes(step)));
      } catch {
        released.push(...step, ...lanes.splice(0));
      }
    }
  }
}
