import { z } from 'zod';
import { pathParam } from '../../operation.ts';
import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation, directoryParams, replayParams } from '../define-operation.ts';
import { count, exampleId, field, id, sequence, timeOrNull, toTime } from '../schema-fields.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { readReplayRequest, replayRequest, toReplayRequest } from './requests.ts';
import { type Replay, replayModes } from '../../../directory/delivery/replays.ts';

const mode = field(z.enum(replayModes), 'How the events were selected.', 'range');
const total = field(count, 'The number of events to send.', 20);
const done = field(count, 'The number of acknowledged events.', 12);

const replaySchema = z
  .strictObject({
    id: id("The replay's ID."),
    directory_id: id("The directory's ID."),
    mode,
    ranges: field(z.array(z.tuple([sequence, sequence])), 'The first and last sequence of each range of events.', [[1, 20]]),
    status: field(z.enum(['running', 'done', 'canceled', 'failed']), 'The status of the replay.', 'running'),
    reason: field(z.string().nullable(), 'Why it failed.', null),
    total,
    done,
    created_at: timeOrNull('When it was created.'),
    finished_at: timeOrNull('When it ended.'),
  })
  .meta({ id: 'Replay', description: 'Events that are sent again.' });
type ReplayBody = z.output<typeof replaySchema>;

/** The state of a delivery contains it. */
export const runningReplaySchema = z.strictObject({ id: id("The replay's ID."), mode, total, done });

const replayDryRunSchema = z
  .strictObject({ dry_run: z.literal(true), total: field(count, 'The number of events that would be sent.', 20) })
  .meta({ id: 'ReplayDryRun', description: 'The result of a dry run.' });

const all = '/api/v1/directory-sync/{directoryId}/replays';
const one = `${all}/{replayId}`;
const common = { tag: 'Replays', auth: 'apiKey' } as const;
const replayResponse = { 200: { description: 'The replay.', data: replaySchema } };
const cursors = createListCursors('replays', idPosition);

export const replayOperations = [
  defineOperation({
    ...common,
    id: 'replays.create',
    scope: 'deliveries:write',
    audit: ['replay.started'],
    method: 'post',
    path: all,
    params: directoryParams,
    title: 'Create a replay',
    description:
      'Sends events again: one by its ID, sequence or delivery; all that failed or are missing; or a range of sequences or times. New events are delivered first.',
    body: { schema: replayRequest, read: readReplayRequest },
    responses: {
      200: { description: 'The number of events, for a `dry_run`.', data: replayDryRunSchema },
      202: { description: 'The new replay.', data: replaySchema },
    },
    errors: { 429: 'The maximum number of replays is running, queued or being counted, or there were too many requests.' },
    handler: async ({ input: { params, body }, deps, ctx }) => {
      const started = await deps.replays.start(params.directoryId, toReplayRequest(body), signalOf(ctx));
      if (started.dryRun) return { dry_run: true as const, total: started.total };
      ctx.status = 202;
      return presentReplay(started.replay);
    },
  }),
  defineOperation({
    ...common,
    id: 'replays.list',
    scope: 'deliveries:read',
    method: 'get',
    path: all,
    params: directoryParams,
    title: 'List replays',
    description: 'Lists the replays of a directory, newest first.',
    query: cursorPageQuery,
    responses: { 200: { description: 'The replays.', body: pageBody(replaySchema, 'ReplayPage', 'replays') } },
    handler: async ({ input: { params, query }, deps }) => {
      const scope = params.directoryId;
      return cursors.toBody(await deps.replays.list(params.directoryId, cursors.readPage(query, scope)), scope, presentReplay);
    },
  }),
  defineOperation({
    ...common,
    id: 'replays.get',
    scope: 'deliveries:read',
    method: 'get',
    path: one,
    params: replayParams,
    title: 'Get a replay',
    description: 'Returns a replay with its progress.',
    responses: replayResponse,
    handler: async ({ input: { params }, deps }) => presentReplay(await deps.replays.get(params.directoryId, params.replayId)),
  }),
  defineOperation({
    ...common,
    id: 'replays.find',
    scope: 'deliveries:read',
    reach: 'narrowed',
    method: 'get',
    path: '/api/v1/directory-sync/replays/{replayId}',
    params: z.object({ replayId: pathParam("The replay's ID.", exampleId) }),
    title: 'Find a replay',
    description: 'Returns a replay with its progress, without the ID of its directory.',
    responses: replayResponse,
    handler: async ({ input: { params }, deps, caller }) => presentReplay(await deps.replays.find(params.replayId, caller.narrowed)),
  }),
  defineOperation({
    ...common,
    id: 'replays.cancel',
    scope: 'deliveries:write',
    audit: ['replay.canceled'],
    method: 'post',
    path: `${one}/cancel`,
    params: replayParams,
    title: 'Cancel a replay',
    description: 'Cancels a replay. An attempt in flight may still arrive.',
    responses: replayResponse,
    errors: { 400: 'The replay has already ended.' },
    handler: async ({ input: { params }, deps }) => presentReplay(await deps.replays.cancel(params.directoryId, params.replayId)),
  }),
];

const presentReplay = (replay: Replay): ReplayBody => ({
  id: replay.id,
  directory_id: replay.directoryId,
  mode: replay.mode,
  ranges: replay.ranges,
  status: replay.status,
  reason: replay.reason ?? null,
  total: replay.total,
  done: replay.done,
  created_at: toTime(replay.createdAt),
  finished_at: toTime(replay.finishedAt),
});
