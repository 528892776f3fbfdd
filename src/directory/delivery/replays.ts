import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import type { DirectoryStore, Page } from '../ports.ts';
import { describeLimit, type DirectoryQuotas } from '../quotas.ts';
import { isDeliveryId } from './delivery-id.ts';
import { deliveryNotFound, type DeliveryLogStore } from './delivery-log.ts';
import { mergeRanges, overlapOf, type SequenceRange } from './replay-ranges.ts';

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

/** How far a directory has come, and what it still has. */
export interface DeliveryReach {
  hasWebhook: boolean;
  logsEvents: boolean;
  ackedSequence: number;
  lastSequence: number;
  /** The newest sequence that retention took away. */
  sweptSequence: number;
}

export interface ReplayStore {
  reach(directoryId: string): Promise<DeliveryReach | undefined>;
  findSequence(directoryId: string, eventId: string): Promise<number | undefined>;
  /** The first and the last of the events of that time, as far as they were delivered or passed over. */
  findTimes(directoryId: string, times: { from?: Date | undefined; to?: Date | undefined }): Promise<SequenceRange | undefined>;
  /** What was passed over: with attempts that failed, or without any. In their order; one more than the limit says that there are more. */
  findPassedOver(directoryId: string, mode: 'failed' | 'missing', within: SequenceRange, limit: number): Promise<SequenceRange[]>;
  /** Events whose content is still there. */
  count(directoryId: string, ranges: SequenceRange[]): Promise<number>;
  /** `tooMany` are running or queued already, with the limits that hold. */
  create(
    replay: Pick<Replay, 'id' | 'directoryId' | 'mode' | 'ranges' | 'total'>,
  ): Promise<{ replay: Replay } | { tooMany: DirectoryQuotas } | undefined>;
  /** Newest first. */
  list(directoryId: string, page: Page): Promise<Replay[]>;
  get(id: string, directoryId?: string): Promise<Replay | undefined>;
  /** Its open delivery goes with it. One that has ended stays as it is. */
  cancel(directoryId: string, id: string): Promise<Replay | undefined>;
}

export interface ReplaysDeps {
  directories: Pick<DirectoryStore, 'findIds'>;
  replays: ReplayStore;
  log: Pick<DeliveryLogStore, 'get'>;
  /** Does not wait, and may fail unseen: the sweep makes up for it. */
  wakeSoon(directoryId: string): void;
}

export type Replays = ReturnType<typeof createReplays>;

const maxRanges = 1_000;
const maxPassedOver = 20_000;

/** Sending again what was sent, or passed over, before. */
export function createReplays({ directories, replays, log, wakeSoon }: ReplaysDeps) {
  return {
    async start(directoryId: string, request: ReplayRequest): Promise<{ dryRun: true; total: number } | { dryRun: false; replay: Replay }> {
      const reach = isId(directoryId) ? await replays.reach(directoryId) : undefined;
      if (!reach) throw directoryNotFound();
      if (!reach.hasWebhook) throw new AppError('invalid_request', 'This directory has no webhook to replay to.');
      const ranges = await toRanges(directoryId, request, reach);
      const total = await replays.count(directoryId, ranges);
      if (request.dryRun) return { dryRun: true, total };
      if (total === 0) throw nothingIn(ranges, reach);
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

    async list(directoryId: string, page: Page): Promise<Replay[]> {
      await mustExist(directoryId);
      return replays.list(directoryId, page);
    },

    async get(id: string, directoryId?: string): Promise<Replay> {
      if (directoryId !== undefined) await mustExist(directoryId);
      return found(isId(id) ? await replays.get(id, directoryId) : undefined);
    },

    async cancel(directoryId: string, id: string): Promise<Replay> {
      await mustExist(directoryId);
      const replay = found(isId(id) ? await replays.cancel(directoryId, id) : undefined);
      if (replay.status !== 'canceled') throw new AppError('invalid_request', 'This replay has ended already: there is nothing to cancel.');
      wakeSoon(directoryId);
      return replay;
    },
  };

  async function mustExist(directoryId: string): Promise<void> {
    if (!isId(directoryId) || (await directories.findIds({ directoryId })).length === 0) throw directoryNotFound();
  }

  async function toRanges(directoryId: string, request: ReplayRequest, reach: DeliveryReach): Promise<SequenceRange[]> {
    switch (request.mode) {
      case 'single':
        return [await findSingle(directoryId, request, reach)];
      case 'range': {
        if ('fromSequence' in request) {
          const { fromSequence: from, toSequence: to } = request;
          refuseBeyond(from, 'from_sequence', reach);
          refuseUnknown(to, 'to_sequence', reach);
          if (from <= reach.sweptSequence)
            throw wrong(
              'from_sequence',
              `must be ${reach.sweptSequence + 1} or more: what was before has been kept long enough and is gone`,
            );
          return [[from, Math.min(to, reach.ackedSequence)]];
        }
        const inTime = await replays.findTimes(directoryId, { from: request.from, to: request.to });
        if (!inTime) throw new AppError('invalid_request', 'There are no delivered events of that time (any more).', { field: 'from' });
        return [inTime];
      }
      case 'failed':
      case 'missing': {
        const { since: from, until: to } = request;
        const everything: SequenceRange = [1, reach.ackedSequence];
        const within = from || to ? await replays.findTimes(directoryId, { from, to }) : everything;
        const passedOver = within ? await replays.findPassedOver(directoryId, request.mode, within, maxPassedOver + 1) : [];
        const ranges = mergeRanges(passedOver.map((range) => overlapOf(range, within!)));
        if (ranges.length === 0) throw new AppError('invalid_request', nothingPassedOver[request.mode]);
        if (ranges.length > maxRanges || passedOver.length > maxPassedOver)
          throw wrong('since', `and until must say less: more than ${maxRanges} ranges are too many for one replay`);
        return ranges;
      }
    }
  }

  async function findSingle(
    directoryId: string,
    { eventId, deliveryId, sequence }: ReplayRequest & { mode: 'single' },
    reach: DeliveryReach,
  ): Promise<SequenceRange> {
    if (deliveryId !== undefined) {
      const delivery = isDeliveryId(deliveryId) ? await log.get(directoryId, deliveryId) : undefined;
      if (!delivery) throw deliveryNotFound();
      refuseBeyond(delivery.toSequence, 'delivery_id', reach);
      return [delivery.fromSequence, delivery.toSequence];
    }
    if (sequence !== undefined) {
      refuseBeyond(sequence, 'sequence', reach);
      return [sequence, sequence];
    }
    const ofEvent = isId(eventId!) ? await replays.findSequence(directoryId, eventId!) : undefined;
    if (ofEvent === undefined) throw new AppError('not_found', 'There is no event with this id.', { field: 'event_id' });
    refuseBeyond(ofEvent, 'event_id', reach);
    return [ofEvent, ofEvent];
  }
}

const nothingPassedOver = {
  failed: 'No delivery that failed was passed over there: there is nothing to replay.',
  missing: 'Nothing was passed over there without an attempt: there is nothing to replay.',
};

function refuseUnknown(sequence: number, field: string, { lastSequence }: DeliveryReach): void {
  if (sequence > lastSequence) throw wrong(field, `is beyond the last event of this directory, which has the sequence ${lastSequence}`);
}

/** What is still to come in its order is not sent out of it. */
function refuseBeyond(sequence: number, field: string, reach: DeliveryReach): void {
  refuseUnknown(sequence, field, reach);
  if (sequence > reach.ackedSequence)
    throw wrong(field, `is not delivered yet, and will be in its order: replays reach as far as the sequence ${reach.ackedSequence}`);
}

function nothingIn(ranges: SequenceRange[], { logsEvents, sweptSequence }: DeliveryReach): AppError {
  const isSwept = ranges.every(([, to]) => to <= sweptSequence);
  return new AppError(
    'invalid_request',
    isSwept
      ? 'These events have been kept long enough and are gone: there is nothing to replay.'
      : `The content of these events is gone: it is kept after the delivery only while log_webhook_events is true${logsEvents ? ', which it was not then. It is true now, and holds for events from then on.' : '. PATCH the directory with {"log_webhook_events":true}: it holds for events from then on.'}`,
  );
}

const wrong = (field: string, problem: string) => new AppError('invalid_request', `${field} ${problem}.`, { field });

function found(replay: Replay | undefined): Replay {
  if (!replay) throw new AppError('not_found', 'There is no replay with this id.');
  return replay;
}

const directoryNotFound = () => new AppError('not_found', 'There is no directory with this id.');
