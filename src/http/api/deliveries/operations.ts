import { z } from 'zod';
import { signalOf } from '../../server/caller-left.ts';
import { defineOperation } from '../define-operation.ts';
import { pageFields, toPage } from '../page.ts';
import { presentDelivery, presentDeliveryState, presentDeliveryWithAttempts } from './presenter.ts';
import { deliveryFilterFields, resumeRequest } from './requests.ts';
import { deliverySchema, deliveryWithAttemptsSchema } from './schemas.ts';
import { deliveryStateSchema, pausedDeliverySchema } from './state-schema.ts';
import { deliveryParams, directoryParams } from '../parse-request.ts';

const directory = '/api/v1/directory-sync/{directoryId}';
const all = `${directory}/deliveries`;
const one = `${all}/{deliveryId}`;
const common = { tag: 'Deliveries', auth: 'apiKey' } as const;
const maxNamedDirectories = 1_000;

export const deliveryOperations = [
  defineOperation({
    ...common,
    id: 'deliveries.state',
    method: 'get',
    path: `${directory}/delivery`,
    params: directoryParams,
    title: 'Get the delivery state',
    description: "Returns the state of a directory's delivery: its status, its backlog and the delivery that is due next.",
    responses: { 200: { description: 'The delivery state.', data: deliveryStateSchema } },
    handler: async ({ input: { params }, deps }) => presentDeliveryState(await deps.deliveryControl.state(params.directoryId)),
  }),
  defineOperation({
    ...common,
    id: 'deliveries.pause',
    method: 'post',
    path: `${directory}/pause`,
    params: directoryParams,
    title: 'Pause delivery',
    description:
      'Stops sending. Events are kept. Responds when nothing is in flight any more, or after a while with `settled` set to false.',
    responses: { 200: { description: 'The delivery state.', data: pausedDeliverySchema } },
    handler: async ({ input: { params }, deps }) => {
      const { state, settled } = await deps.deliveryControl.pause(params.directoryId);
      return { ...presentDeliveryState(state), settled };
    },
  }),
  defineOperation({
    ...common,
    id: 'deliveries.resume',
    method: 'post',
    path: `${directory}/resume`,
    params: directoryParams,
    title: 'Resume delivery',
    description: 'Resumes with the pending events (`backlog`), or skips them (`now`). `from` is required when the delivery is disabled.',
    body: { schema: resumeRequest, isOptional: true },
    responses: { 200: { description: 'The delivery state.', data: deliveryStateSchema } },
    errors: { 400: '`from` is missing although the delivery is disabled, or is `now` while delivery is active and events are pending.' },
    handler: async ({ input: { params, body }, deps }) =>
      presentDeliveryState(await deps.deliveryControl.resume(params.directoryId, body.from)),
  }),
  defineOperation({
    ...common,
    id: 'deliveries.list',
    method: 'get',
    path: all,
    params: directoryParams,
    title: 'List deliveries',
    description: "Lists the deliveries to a directory's webhook, newest first.",
    query: z.object({ ...deliveryFilterFields, ...pageFields }),
    responses: { 200: { description: 'The deliveries.', data: z.array(deliverySchema) } },
    handler: async ({ input: { params, query }, deps, ctx }) => {
      const { status, kind } = query;
      return (await deps.deliveryLog.list(params.directoryId, { status, kind }, toPage(query), signalOf(ctx))).map(presentDelivery);
    },
  }),
  defineOperation({
    ...common,
    id: 'deliveries.get',
    method: 'get',
    path: one,
    params: deliveryParams,
    title: 'Get a delivery',
    description: 'Returns a delivery with its body and all attempts.',
    responses: { 200: { description: 'The delivery.', data: deliveryWithAttemptsSchema } },
    handler: async ({ input: { params }, deps }) =>
      presentDeliveryWithAttempts(await deps.deliveryLog.get(params.directoryId, params.deliveryId)),
  }),
  defineOperation({
    ...common,
    id: 'deliveries.retry',
    method: 'post',
    path: `${one}/retry`,
    params: deliveryParams,
    title: 'Retry a delivery',
    description: 'Makes a pending or exhausted delivery due now.',
    responses: { 202: { description: 'The delivery. The next attempt begins soon.', data: deliverySchema } },
    errors: {
      400: 'The delivery has a final status, delivery of the directory is paused, disabled or misconfigured, or another replay is running.',
    },
    handler: async ({ input: { params }, deps }) =>
      presentDelivery(await deps.deliveryControl.retry(params.directoryId, params.deliveryId)),
  }),
  defineOperation({
    ...common,
    id: 'deliveries.processQueued',
    method: 'post',
    path: '/api/v1/directory-sync/cron/process-events',
    title: 'Wake pending deliveries',
    description:
      'Wakes the delivery of every directory with pending events. In batch mode (`DSYNC_WEBHOOK_BATCH_SIZE`), events wait until this is called, or until the schedule of `DSYNC_WEBHOOK_BATCH_CRON_INTERVAL` does it. Without batch mode, deliveries wake by themselves. Concurrent calls share the work.',
    responses: {
      200: {
        description: 'The directories whose delivery this call woke, at most 1,000 of them.',
        data: z.strictObject({ message: z.literal('Processing started'), directory_ids: z.array(z.string()) }),
      },
    },
    handler: async ({ deps: { deliveries, processEvents } }) => {
      const directoryIds = await deliveries.wakeBacklogs(maxNamedDirectories);
      await processEvents(directoryIds).catch(async (error: unknown) => {
        // The next caller must find them again.
        await deliveries.lowerWakeFlags(directoryIds);
        throw error;
      });
      return { message: 'Processing started' as const, directory_ids: directoryIds };
    },
  }),
];
