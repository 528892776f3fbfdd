import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { readRequest } from '../directory-requests.ts';
import { refuseMisspelt } from '../refuse-misspelt.ts';

const sequence = z.number('must be a whole number').int('must be a whole number').min(1, 'must be at least 1').max(Number.MAX_SAFE_INTEGER);
const notTime = 'must be a time like 2026-01-31T12:00:00Z';
const time = z.iso.datetime({ offset: true, error: notTime }).transform((text) => new Date(text));
/** Who has a sequence in hand is told where it goes. */
const timeOrTold = (sequenceField: string) =>
  z.iso
    .datetime({
      offset: true,
      error: ({ input }) => `${notTime}${/^\d+$/.test(String(input)) ? ` (a sequence number is given as ${sequenceField})` : ''}`,
    })
    .transform((text) => new Date(text));
const dryRun = z
  .boolean('must be true or false')
  .default(false)
  .meta({ description: 'Only say how many events it would be.', examples: [true] });
const id = z.string('must be a string').max(100, 'may have at most 100 characters');

const single = z
  .object({
    mode: z.literal('single').meta({ description: 'One event, or the events of one delivery.' }),
    event_id: id.optional().meta({ description: 'The event, by its id.', examples: ['0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41'] }),
    sequence: sequence.optional().meta({ description: 'The event, by its sequence.', examples: [17] }),
    delivery_id: id.optional().meta({ description: 'All events of a delivery.', examples: ['msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'] }),
    dry_run: dryRun,
  })
  .superRefine((request, context) => {
    const names = ['event_id', 'sequence', 'delivery_id'] as const;
    const given = names.filter((name) => request[name] !== undefined);
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (given.length === 0) refuse('mode', `“single” wants one of ${names.join(', ')}`);
    if (given.length > 1) refuse(given[1]!, `must not be given together with ${given[0]}`);
  });

const since = {
  since: time.optional().meta({ description: 'Only events from this time on.', examples: ['2027-11-20T00:00:00Z'] }),
  until: time.optional().meta({ description: 'Only events up to this time.', examples: ['2027-11-21T00:00:00Z'] }),
  dry_run: dryRun,
};
const inOrder = ({ since: from, until: to }: { since?: Date | undefined; until?: Date | undefined }) => !from || !to || from <= to;
const reversedTime = { path: ['until'], message: 'must not be before since' };

const range = z
  .object({
    mode: z.literal('range').meta({ description: 'All events of a range.' }),
    from_sequence: sequence.optional().meta({ description: 'The first event.', examples: [1] }),
    to_sequence: sequence.optional().meta({ description: 'The last event.', examples: [20] }),
    from: timeOrTold('from_sequence')
      .optional()
      .meta({ description: 'Events from this time on.', examples: ['2027-11-20T00:00:00Z'] }),
    to: timeOrTold('to_sequence')
      .optional()
      .meta({ description: 'Events up to this time.', examples: ['2027-11-21T00:00:00Z'] }),
    dry_run: dryRun,
  })
  .superRefine((request, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const { from_sequence: first, to_sequence: last, from, to } = request;
    const bySequence = first !== undefined || last !== undefined;
    if (bySequence && (from !== undefined || to !== undefined))
      return refuse(from === undefined ? 'to' : 'from', 'must not be given together with sequences');
    if (bySequence) {
      if (first === undefined) return refuse('from_sequence', 'is required');
      if (last === undefined) return refuse('to_sequence', 'is required');
      if (last < first) refuse('to_sequence', 'must not be less than from_sequence');
      return undefined;
    }
    if (from === undefined && to === undefined) return refuse('mode', '“range” wants from_sequence and to_sequence, or from and to');
    if (from === undefined) return refuse('from', 'is required');
    if (to === undefined) return refuse('to', 'is required');
    return to < from ? refuse('to', 'must not be before from') : undefined;
  });

/** Which events are to be sent again. */
export const replayRequest = z
  .discriminatedUnion(
    'mode',
    [
      single,
      z
        .object({ mode: z.literal('failed').meta({ description: 'Events that were passed over after attempts that failed.' }), ...since })
        .refine(inOrder, reversedTime),
      z
        .object({ mode: z.literal('missing').meta({ description: 'Events that were passed over without an attempt.' }), ...since })
        .refine(inOrder, reversedTime),
      range,
    ],
    { error: 'must be one of single, failed, missing, range' },
  )
  .meta({ id: 'ReplayRequest', description: 'Which events are to be sent again.', examples: [{ mode: 'failed', dry_run: true }] });
export type ReplayRequest = z.infer<typeof replayRequest>;
export const replayModes = ['single', 'failed', 'missing', 'range'] as const satisfies ReplayRequest['mode'][];
export type ReplayMode = (typeof replayModes)[number];

const fields: Record<ReplayMode, string[]> = {
  single: Object.keys(single.shape),
  failed: ['mode', 'since', 'until', 'dry_run'],
  missing: ['mode', 'since', 'until', 'dry_run'],
  range: Object.keys(range.shape),
};

/** What belongs to another mode is refused: more would be sent than was meant. */
export function readReplayRequest(value: unknown): ReplayRequest {
  const request = readRequest(replayRequest, value);
  const known = [...new Set(Object.values(fields).flat())];
  const foreign = Object.keys(value as object).find((name) => known.includes(name) && !fields[request.mode].includes(name));
  if (foreign !== undefined)
    throw new AppError('invalid_request', `${foreign} does not belong to the mode “${request.mode}”.`, { field: foreign });
  refuseMisspelt(value, known);
  return request;
}
