import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { deliveryNotFound, directoryNotFound, notFound } from '../errors.ts';
import type { DirectoryOwner, DirectoryStore } from '../ports.ts';
import { describeLimit, type DirectoryQuotas } from '../quotas.ts';
import { type DeliveryLogStore, isDeliveryId } from './delivery-log.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';
export const replayModes = ['single', 'failed', 'missing', 'range'] as const;
export type ReplayMode = (typeof replayModes)[number];

/** Which events to send again. A single one is named in exactly one way; a range by sequences or by times. */
export type ReplayRequest = { dryRun: boolean } & (
  | { mode: 'single'; eventId?: string | undefined; sequence?: number | undefined; deliveryId?: string | undefined }
  | { mode: 'failed' | 'missing'; since?: Date | undefined; until?: Date | undefined }
  | { mode: 'range'; fromSequence: number; toSequence: number }
  | { mode: 'range'; from: Date; to: Date }
);

export interface Replay {
  id: string;
  directoryId: string;
  mode: ReplayMode;
  ranges: SequenceRange[];
  status: 'running' | 'done' | 'canceled' | 'failed';
  reason: string | undefined;
  total: number;
  done: number;
  createdAt: Date;
  finishedAt: Date | undefined;
}

/** How far the delivery of a directory is, and which events are still kept. */
interface DeliveryProgress {
  hasWebhook: boolean;
  logsEvents: boolean;
  ackedSequence: number;
  lastSequence: number;
  /** The newest sequence that was deleted after the retention period. */
  deletedSequence: number;
}

export interface ReplayStore {
  getProgress(directoryId: string): Promise<DeliveryProgress | undefined>;
  findSequence(directoryId: string, eventId: string, signal: AbortSignal | undefined): Promise<number | undefined>;
  /** The first and the last acknowledged or skipped event of that time. */
  findSequencesByTime(
    directoryId: string,
    times: { from?: Date | undefined; to?: Date | undefined },
    signal: AbortSignal | undefined,
  ): Promise<SequenceRange | undefined>;
  /** Skipped events, in order: `failed` after failed attempts, `missing` without an attempt. */
  findSkipped(
    directoryId: string,
    mode: 'failed' | 'missing',
    within: SequenceRange,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<SequenceRange[]>;
  /** Number of events whose bodies are still kept. */
  count(directoryId: string, ranges: SequenceRange[], signal: AbortSignal | undefined): Promise<number>;
  /** `tooMany`: the quota of running and queued replays is reached. */
  create(
    replay: Pick<Replay, 'id' | 'directoryId' | 'mode' | 'ranges' | 'total'>,
  ): Promise<{ replay: Replay } | { tooMany: DirectoryQuotas } | undefined>;
  /** Returns the newest replay first. */
  list(directoryId: string, page: PageRequest<string>): Promise<ContinuedPage<Replay, string>>;
  get(id: string, among: DirectoryOwner): Promise<Replay | undefined>;
  /** Also cancels its open delivery. A replay that has ended does not change. */
  cancel(directoryId: string, id: string): Promise<Replay | undefined>;
}

interface ReplaysDeps {
  directories: Pick<DirectoryStore, 'findIds'>;
  replays: ReplayStore;
  log: Pick<DeliveryLogStore, 'get'>;
  /** Does not wait. Maintenance makes up for a failure. */
  wakeSoon(directoryId: string): void;
}

export type Replays = ReturnType<typeof createReplays>;

const maxRanges = 1_000;
const maxSkipped = 20_000;

/** Sends events again that were delivered or skipped. */
export function createReplays({ directories, replays, log, wakeSoon }: ReplaysDeps) {
  return {
    /** The signal ends the search for the events, not a replay that was created. */
    async start(
      directoryId: string,
      request: ReplayRequest,
      signal?: AbortSignal,
    ): Promise<{ dryRun: true; total: number } | { dryRun: false; replay: Replay }> {
      const reach = isId(directoryId) ? await replays.getProgress(directoryId) : undefined;
      if (!reach) throw directoryNotFound();
      if (!reach.hasWebhook) throw new AppError('invalid_request', 'This directory has no webhook to replay to.');
      const ranges = await findRanges({ replays, log, directoryId, reach, signal }, request);
      const total = await replays.count(directoryId, ranges, signal);
      if (request.dryRun) return { dryRun: true, total };
      if (total === 0) throw nothingToReplay(ranges, reach);
      const created = await replays.create({ id: newId(), directoryId, mode: request.mode, ranges, total });
      if (!created) throw directoryNotFound();
      if ('tooMany' in created)
        throw new AppError(
          'rate_limited',
          `The directory may have ${describeLimit(created.tooMany, 'replays')}; try again when one has ended, or cancel one.`,
        );
      wakeSoon(directoryId);
      return { dryRun: false, replay: created.replay };
    },

    async list(directoryId: string, page: PageRequest<string>): Promise<ContinuedPage<Replay, string>> {
      await assertDirectory(directoryId);
      return replays.list(directoryId, page);
    },

    async get(directoryId: string, id: string): Promise<Replay> {
      await assertDirectory(directoryId);
      return assertFound(isId(id) ? await replays.get(id, { directoryId }) : undefined);
    },

    /** Without the ID of its directory, which is one of `among`. */
    async find(id: string, among: DirectoryOwner): Promise<Replay> {
      return assertFound(isId(id) ? await replays.get(id, among) : undefined);
    },

    async cancel(directoryId: string, id: string): Promise<Replay> {
      await assertDirectory(directoryId);
      const replay = assertFound(isId(id) ? await replays.cancel(directoryId, id) : undefined);
      if (replay.status !== 'canceled') throw new AppError('invalid_request', 'This replay has ended already.');
      wakeSoon(directoryId);
      return replay;
    },
  };

  async function assertDirectory(directoryId: string): Promise<void> {
    if (!isId(directoryId) || (await directories.findIds({ directoryId })).length === 0) throw directoryNotFound();
  }
}

interface RangeSearch extends Pick<ReplaysDeps, 'replays' | 'log'> {
  directoryId: string;
  reach: DeliveryProgress;
  signal: AbortSignal | undefined;
}

/** Finds the events that a request names. */
async function findRanges(search: RangeSearch, request: ReplayRequest): Promise<SequenceRange[]> {
  const { replays, directoryId, reach, signal } = search;
  switch (request.mode) {
    case 'single':
      return [await findSingle(search, request)];
    case 'range': {
      if ('fromSequence' in request) {
        const { fromSequence: from, toSequence: to } = request;
        assertDelivered(from, 'from_sequence', reach);
        assertExists(to, 'to_sequence', reach);
        if (from <= reach.deletedSequence)
          throw invalid(
            'from_sequence',
            `must be ${reach.deletedSequence + 1} or more: earlier events were deleted after the retention period`,
          );
        return [[from, Math.min(to, reach.ackedSequence)]];
      }
      const inTime = await replays.findSequencesByTime(directoryId, { from: request.from, to: request.to }, signal);
      if (!inTime) throw new AppError('invalid_request', 'There are no delivered events in this period.', { field: 'from' });
      return [inTime];
    }
    case 'failed':
    case 'missing': {
      const { since: from, until: to } = request;
      const everything: SequenceRange = [1, reach.ackedSequence];
      const within = from || to ? await replays.findSequencesByTime(directoryId, { from, to }, signal) : everything;
      const skipped = within ? await replays.findSkipped(directoryId, request.mode, within, maxSkipped + 1, signal) : [];
      const ranges = mergeRanges(skipped.map((range) => overlapOf(range, within!)));
      if (ranges.length === 0) throw new AppError('invalid_request', nothingSkipped[request.mode]);
      if (ranges.length > maxRanges || skipped.length > maxSkipped)
        throw invalid('since', `and until must select fewer events: a replay can have at most ${maxRanges} ranges (fixed limit)`);
      return ranges;
    }
  }
}

async function findSingle(
  { replays, log, directoryId, reach, signal }: RangeSearch,
  { eventId, deliveryId, sequence }: ReplayRequest & { mode: 'single' },
): Promise<SequenceRange> {
  if (deliveryId !== undefined) {
    const delivery = isDeliveryId(deliveryId) ? await log.get(directoryId, deliveryId) : undefined;
    if (!delivery) throw deliveryNotFound();
    assertDelivered(delivery.toSequence, 'delivery_id', reach);
    return [delivery.fromSequence, delivery.toSequence];
  }
  if (sequence !== undefined) {
    assertDelivered(sequence, 'sequence', reach);
    return [sequence, sequence];
  }
  const ofEvent = isId(eventId!) ? await replays.findSequence(directoryId, eventId!, signal) : undefined;
  if (ofEvent === undefined) throw notFound('event', { field: 'event_id' });
  assertDelivered(ofEvent, 'event_id', reach);
  return [ofEvent, ofEvent];
}

const nothingSkipped = {
  failed: 'No failed events were skipped in this period: there is nothing to replay.',
  missing: 'No events were skipped without an attempt in this period: there is nothing to replay.',
};

function assertExists(sequence: number, field: string, { lastSequence }: DeliveryProgress): void {
  if (sequence > lastSequence) throw invalid(field, `is above the last sequence of this directory, ${lastSequence}`);
}

/** Events that are not delivered yet are delivered in order, not replayed. */
function assertDelivered(sequence: number, field: string, reach: DeliveryProgress): void {
  assertExists(sequence, field, reach);
  if (sequence > reach.ackedSequence)
    throw invalid(field, `is not delivered yet: the last event that can be replayed has the sequence ${reach.ackedSequence}`);
}

function nothingToReplay(ranges: SequenceRange[], { logsEvents, deletedSequence }: DeliveryProgress): AppError {
  const isSwept = ranges.every(([, to]) => to <= deletedSequence);
  return new AppError(
    'invalid_request',
    isSwept
      ? 'These events were deleted after the retention period: there is nothing to replay.'
      : `The bodies of these events were deleted after delivery, because log_webhook_events was not set at that time. ${logsEvents ? 'It is set now: bodies of later events are kept.' : 'Set it on the directory to keep the bodies of later events.'}`,
  );
}

const invalid = (field: string, problem: string) => new AppError('invalid_request', `${field} ${problem}.`, { field });

function assertFound(replay: Replay | undefined): Replay {
  if (!replay) throw notFound('replay');
  return replay;
}

export type SequenceRange = [from: number, to: number];

/** The next part of the ranges, or undefined if nothing is left. */
export function rangeAt(ranges: SequenceRange[], nextSequence: number): { after: number; upTo: number } | undefined {
  const range = ranges.find(([, to]) => to >= nextSequence);
  return range && { after: Math.max(range[0], nextSequence) - 1, upTo: range[1] };
}

/** Merges ranges that overlap or are adjacent. */
function mergeRanges(ranges: SequenceRange[]): SequenceRange[] {
  const merged: SequenceRange[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

const overlapOf = (a: SequenceRange, b: SequenceRange): SequenceRange => [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
