import type { EmittedEvents } from '../event.ts';
import { type IntakeLaneKind, createIntakeLanes } from './intake-lanes.ts';
import { createLinger } from './linger.ts';
import type { Intake } from './ports.ts';
import {
  commitTimedOut,
  createIntakeEntry,
  waitForOutcome,
  type IntakeEntry,
  createPendingCreates,
  toCreateRequest,
} from './intake-entry.ts';
import { type Mutation, type Outcome, codeOf } from '../changes/mutation.ts';
import { createWaitingMutations, type WaitingOptions } from './waiting-mutations.ts';
import { AppError } from '../../errors.ts';
import { quotaNames } from '../quotas.ts';

/**
 * Applies a group of mutations durably. Calls `settle` for each one as soon as it is committed, with the events of its directory where they
 * are known. Rejects if the group could not be submitted. `bytes` has the size of each mutation as JSON.
 */
export type CommitMutations = (
  mutations: Mutation[],
  settle: (outcome: Outcome, emitted?: EmittedEvents) => void,
  bytes?: number[],
) => Promise<void>;

export interface IntakeOptions extends Partial<WaitingOptions> {
  commitMutations: CommitMutations;
  /** Number of groups in flight, besides one for a large mutation. */
  lanes: number;
  /** How long a caller waits for an outcome. */
  timeoutMs: number;
  /** How long a stuck directory can keep a lane from the others. Default: 300. */
  laneHoldMs?: number;
  /** How long to wait for the next of the writers that just got a response. Default: 15. */
  lingerMs?: number;
  /** How long to wait for all of these writers. Default: 60. */
  maxLingerMs?: number;
}

/**
 * Group commit: while all lanes are busy, or a change of the same directory is in flight, mutations wait and then share a workflow. Changes
 * of one directory keep their order, and directories take turns, so that a long queue of one does not delay the others. A mutation that
 * finds a free lane starts immediately, in its own workflow.
 */
export function createIntake(options: IntakeOptions): Intake {
  const { commitMutations, timeoutMs, maxGroup = 64, laneHoldMs = 300, lingerMs = 15, maxLingerMs = 60 } = options;
  const waiting = createWaitingMutations<IntakeEntry>({ ...options, maxGroup });
  const lanes = createIntakeLanes({ small: options.lanes, holdMs: laneHoldMs });
  const linger = createLinger({ lingerMs, maxLingerMs, countWaiting: waiting.countSmall, onEnd: startGroups });
  const creates = createPendingCreates();
  let arrivals = 0;

  return {
    assertAccepts(directoryId, { mayRepeat }) {
      if (!mayRepeat) waiting.assertRoom(directoryId);
    },
    async submit(mutation, caller) {
      caller?.throwIfDisconnected();
      const request = toCreateRequest(mutation);
      const identical = creates.find(request);
      if (identical) return waitForOutcome(identical, caller, { timeoutMs, onAbandoned });
      const entry = createIntakeEntry(mutation, { request, arrival: arrivals++ });
      for (const displaced of waiting.add(entry)) {
        creates.remove(displaced);
        displaced.reject(waiting.toDisplacedError());
      }
      creates.add(entry);
      startGroups();
      return waitForOutcome(entry, caller, { timeoutMs, onAbandoned });
    },
  };

  function startGroups(): void {
    const large = lanes.hasFree('large') ? waiting.takeLarge(lanes.busyDirectories) : undefined;
    if (large) void runGroup([large], 'large');
    if (linger.extend()) return;
    while (lanes.hasFree('small')) {
      const group = waiting.takeGroup(lanes.busyDirectories);
      if (group.length === 0) return;
      void runGroup(group, 'small');
    }
  }

  async function runGroup(group: IntakeEntry[], kind: IntakeLaneKind): Promise<void> {
    const lane = lanes.take(kind, group, startGroups);
    const open = new Map(group.map((entry) => [entry.mutation.id, entry]));
    // Counted at the first outcome: its caller may send the next change before the last outcome is there.
    let others: number | undefined;
    const close = (entry: IntakeEntry) => {
      open.delete(entry.mutation.id);
      creates.remove(entry);
      lanes.settle(entry.mutation.directoryId);
    };

    try {
      await commitMutations(
        group.map(({ mutation }) => mutation),
        (outcome) => {
          const entry = open.get(outcome.mutationId);
          if (!entry) return;
          others ??= waiting.countSmall();
          entry.resolve(outcome);
          close(entry);
          if (open.size > 0) return startGroups();
          lane.release();
          if (kind === 'large') startGroups();
          else linger.start(Math.min(maxGroup, Math.min(others, waiting.countSmall()) + group.length));
        },
        group.map(({ bytes }) => bytes),
      );
    } catch (error) {
      for (const entry of open.values()) entry.reject(error);
    } finally {
      for (const entry of open.values()) {
        entry.reject(commitTimedOut());
        close(entry);
      }
      lane.release();
      startGroups();
    }
  }

  /** Removes a mutation that no caller waits for, unless it was submitted already. */
  function onAbandoned(entry: IntakeEntry): void {
    if (waiting.remove(entry)) creates.remove(entry);
  }
}

const backloggedForMs = 1_000;

/**
 * Responds with 503 to changes of a directory that has too many bytes of undelivered events. The result is cached for a second, so that an
 * identity provider that keeps pushing costs neither a workflow nor a statement.
 */
export function rejectWhileBacklogged(intake: Intake, onQuotaReached: (quota: string) => void): Intake {
  const rejected = new Map<string, string>();
  return {
    assertAccepts(directoryId, options) {
      assertNotRejected(directoryId);
      intake.assertAccepts(directoryId, options);
    },
    async submit(mutation, caller) {
      const { directoryId } = mutation;
      assertNotRejected(directoryId);
      const outcome = await intake.submit(mutation, caller);
      if (codeOf(outcome) !== 'backlog_full') return outcome;
      const { detail } = outcome.error!;
      rejected.set(directoryId, detail);
      setTimeout(() => rejected.delete(directoryId), backloggedForMs).unref();
      throw new AppError('unavailable', detail);
    },
  };

  function assertNotRejected(directoryId: string): void {
    const known = rejected.get(directoryId);
    if (known === undefined) return;
    onQuotaReached(quotaNames.undeliveredBytes.field);
    throw new AppError('unavailable', known);
  }
}
