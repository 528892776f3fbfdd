import { z } from 'zod';
import type { ReplayMode, ReplayRequest } from '../../../directory/delivery/replays.ts';
import { AppError } from '../../../errors.ts';
import { exampleDeliveryId, exampleId } from '../schema-fields.ts';
import { rejectUnknownField } from '../../../shared/unknown-fields.ts';
import { parseRequest } from '../define-operation.ts';

const sequence = z.number('must be a whole number').int('must be a whole number').min(1, 'must be at least 1').max(Number.MAX_SAFE_INTEGER);
const notTime = 'must be a time like 2026-01-31T12:00:00Z';
const time = z.iso.datetime({ offset: true, error: notTime }).transform((text) => new Date(text));
/** For a sequence number in the wrong field, the error names the right one. */
const timeNotSequence = (sequenceField: string) =>
  z.iso
    .datetime({
      offset: true,
      error: ({ input }) => `${notTime}${/^\d+$/.test(String(input)) ? ` (send a sequence number as ${sequenceField})` : ''}`,
    })
    .transform((text) => new Date(text));
const dryRunField = z
  .boolean('must be true or false')
  .default(false)
  .meta({ description: 'Only count the events, and send nothing.', examples: [true] });
const id = z.string('must be a string').max(100, 'may have at most 100 characters');

const single = z
  .object({
    mode: z.literal('single').meta({ description: 'One event, or the events of one delivery.' }),
    event_id: id.optional().meta({ description: "The event's ID.", examples: [exampleId] }),
    sequence: sequence.optional().meta({ description: "The event's sequence.", examples: [17] }),
    delivery_id: id.optional().meta({ description: 'The `webhook-id` of a delivery: all of its events.', examples: [exampleDeliveryId] }),
    dry_run: dryRunField,
  })
  .superRefine((request, context) => {
    const names = ['event_id', 'sequence', 'delivery_id'] as const;
    const given = names.filter((name) => request[name] !== undefined);
    const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (given.length === 0) reject('mode', `“single” requires one of ${names.join(', ')}`);
    if (given.length > 1) reject(given[1]!, `must not be given together with ${given[0]}`);
  });

const since = {
  since: time.optional().meta({ description: 'Only events from this time on.', examples: ['2027-11-20T00:00:00Z'] }),
  until: time.optional().meta({ description: 'Only events up to this time.', examples: ['2027-11-21T00:00:00Z'] }),
  dry_run: dryRunField,
};
const inOrder = ({ since: from, until: to }: { since?: Date | undefined; until?: Date | undefined }) => !from || !to || from <= to;
const reversedTime = { path: ['until'], message: 'must not be before since' };

const range = z
  .object({
    mode: z.literal('range').meta({ description: 'All events of a range.' }),
    from_sequence: sequence.optional().meta({ description: 'The first event.', examples: [1] }),
    to_sequence: sequence.optional().meta({ description: 'The last event.', examples: [20] }),
    from: timeNotSequence('from_sequence')
      .optional()
      .meta({ description: 'Events from this time on.', examples: ['2027-11-20T00:00:00Z'] }),
    to: timeNotSequence('to_sequence')
      .optional()
      .meta({ description: 'Events up to this time.', examples: ['2027-11-21T00:00:00Z'] }),
    dry_run: dryRunField,
  })
  .superRefine((request, context) => {
    const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const { from_sequence: first, to_sequence: last, from, to } = request;
    const bySequence = first !== undefined || last !== undefined;
    if (bySequence && (from !== undefined || to !== undefined))
      return reject(from === undefined ? 'to' : 'from', 'must not be given together with sequences');
    if (bySequence) {
      if (first === undefined) return reject('from_sequence', 'is required');
      if (last === undefined) return reject('to_sequence', 'is required');
      if (last < first) reject('to_sequence', 'must not be less than from_sequence');
      return undefined;
    }
    if (from === undefined && to === undefined) return reject('mode', '“range” requires from_sequence and to_sequence, or from and to');
    if (from === undefined) return reject('from', 'is required');
    if (to === undefined) return reject('to', 'is required');
    return to < from ? reject('to', 'must not be before from') : undefined;
  });

export const replayRequest = z
  .discriminatedUnion(
    'mode',
    [
      single,
      z
        .object({ mode: z.literal('failed').meta({ description: 'Events that were skipped after failed attempts.' }), ...since })
        .refine(inOrder, reversedTime),
      z
        .object({ mode: z.literal('missing').meta({ description: 'Events that were skipped without an attempt.' }), ...since })
        .refine(inOrder, reversedTime),
      range,
    ],
    { error: 'must be one of single, failed, missing, range' },
  )
  .meta({ id: 'ReplayRequest', description: 'The events to send again.', examples: [{ mode: 'failed', dry_run: true }] });

const fields: Record<ReplayMode, string[]> = {
  single: Object.keys(single.shape),
  failed: ['mode', 'since', 'until', 'dry_run'],
  missing: ['mode', 'since', 'until', 'dry_run'],
  range: Object.keys(range.shape),
};

/** A field of another mode is rejected: ignoring it would send more than the caller asked for. */
export function readReplayRequest(value: unknown): z.output<typeof replayRequest> {
  const request = parseRequest(replayRequest, value);
  const known = [...new Set(Object.values(fields).flat())];
  const foreign = Object.keys(value as object).find((name) => known.includes(name) && !fields[request.mode].includes(name));
  if (foreign !== undefined)
    throw new AppError('invalid_request', `${foreign} does not belong to the mode “${request.mode}”.`, { field: foreign });
  rejectUnknownField(value, known);
  return request;
}

export function toReplayRequest(request: z.output<typeof replayRequest>): ReplayRequest {
  const { dry_run: dryRun } = request;
  if (request.mode === 'single')
    return { mode: 'single', dryRun, eventId: request.event_id, sequence: request.sequence, deliveryId: request.delivery_id };
  if (request.mode === 'range') {
    const { from_sequence: first, to_sequence: last, from, to } = request;
    return { mode: 'range', dryRun, ...(first === undefined ? { from: from!, to: to! } : { fromSequence: first, toSequence: last! }) };
  }
  return { mode: request.mode, dryRun, since: request.since, until: request.until };
}
