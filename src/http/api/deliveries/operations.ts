import { z } from 'zod';
import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation, deliveryParams, directoryParams } from '../define-operation.ts';
import { createListCursors, cursorPageQuery, deliveryPosition, pageBody, rankedPosition } from '../cursor.ts';
import { product, tenant } from '../selector.ts';
import { intersect } from '../../../access/narrowing.ts';
import {
  presentDelivery,
  presentDeliveryOfDirectory,
  presentDeliveryState,
  presentDeliveryWithAttempts,
  presentSentTest,
} from './presenter.ts';
import {
  deliveryOfDirectorySchema,
  deliverySchema,
  deliveryStateSchema,
  deliveryWithAttemptsSchema,
  pausedDeliverySchema,
  rotatedWebhookSecretSchema,
  sentTestSchema,
} from './schemas.ts';
import { deliveryKinds, deliveryStatuses } from '../../../directory/delivery/delivery-log.ts';
import { overlapSeconds, secretText, toTime } from '../schema-fields.ts';
import { findWebhookSecretWarnings } from '../../../directory/delivery/webhook-settings.ts';

const resumeRequest = z
  .object({
    from: z
      .enum(['backlog', 'now'], 'must be backlog or now')
      .optional()
      .meta({ description: '`backlog` delivers all pending events; `now` skips them.', examples: ['backlog'] }),
  })
  .meta({ id: 'ResumeRequest', description: 'Where to resume.' });

const rotateWebhookSecretRequest = z
  .object({
    secret: secretText
      .min(1, 'must not be empty; leave it out to have one created')
      .refine(
        (text) => !text.startsWith('whsec_') || /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(text),
        'starts with whsec_, so base64 of 16 bytes or more must follow',
      )
      .optional()
      .meta({ description: 'The new secret; default: a random one.' }),
    overlap_seconds: overlapSeconds(7, 'seven').meta({
      description: 'How long the previous secret also signs, in seconds; 0: not at all.',
      examples: [86_400],
    }),
  })
  .meta({ id: 'RotateWebhookSecretRequest', description: 'How to rotate a webhook secret.' });

const deliveryFilterFields = {
  status: z
    .enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`)
    .optional()
    .meta({ description: 'Only deliveries with this status.', examples: ['pending'] }),
  kind: z
    .enum(deliveryKinds, `must be one of ${deliveryKinds.join(', ')}`)
    .optional()
    .meta({ description: 'Only deliveries of new events (`live`), or only those of replays.', examples: ['live'] }),
};

const directory = '/api/v1/directory-sync/{directoryId}';
const all = `${directory}/deliveries`;
const one = `${all}/{deliveryId}`;
const common = { tag: 'Deliveries', auth: 'apiKey' } as const;
const maxNamedDirectories = 1_000;
const cursors = createListCursors('deliveries', deliveryPosition);
const cursorsAcross = createListCursors('deliveries of all directories', rankedPosition);

export const deliveryOperations = [
  defineOperation({
    ...common,
    id: 'deliveries.state',
    scope: 'deliveries:read',
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
    scope: 'deliveries:write',
    audit: ['delivery.paused'],
    method: 'post',
    path: `${directory}/pause`,
    params: directoryParams,
    title: 'Pause delivery',
    description:
      'Stops sending. Events are kept. Responds when no attempt is in flight any more, or after nine seconds with `settled` set to false.',
    responses: { 200: { description: 'The delivery state.', data: pausedDeliverySchema } },
    handler: async ({ input: { params }, deps }) => {
      const { state, settled } = await deps.deliveryControl.pause(params.directoryId);
      return { ...presentDeliveryState(state), settled };
    },
  }),
  defineOperation({
    ...common,
    id: 'deliveries.resume',
    scope: 'deliveries:write',
    audit: ['delivery.resumed'],
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
    scope: 'deliveries:read',
    method: 'get',
    path: all,
    params: directoryParams,
    title: 'List deliveries',
    description: "Lists the deliveries to a directory's webhook, newest first.",
    query: cursorPageQuery.extend(deliveryFilterFields),
    responses: { 200: { description: 'The deliveries.', body: pageBody(deliverySchema, 'DeliveryPage', 'deliveries') } },
    handler: async ({ input: { params, query }, deps }) => {
      const filter = { status: query.status, kind: query.kind };
      const scope = [params.directoryId, filter];
      return cursors.toBody(
        await deps.deliveryLog.list(params.directoryId, filter, cursors.readPage(query, scope)),
        scope,
        presentDelivery,
      );
    },
  }),
  defineOperation({
    ...common,
    id: 'deliveries.listAll',
    scope: 'deliveries:read',
    reach: 'narrowed',
    method: 'get',
    path: '/api/v1/deliveries',
    title: 'List the deliveries of all directories',
    description:
      'Lists the deliveries of all directories, or of a tenant or product. Those that wait for a retry or are given up come first; then all others. Both are newest first. It is limited like a search over SCIM, except for pending deliveries.',
    query: cursorPageQuery.extend({ status: deliveryFilterFields.status, tenant: tenant.optional(), product: product.optional() }),
    responses: {
      200: { description: 'The deliveries.', body: pageBody(deliveryOfDirectorySchema, 'DeliveriesOfDirectoriesPage', 'deliveries') },
    },
    handler: async ({ input: { query }, deps, caller }) => {
      const { status, tenant: ofTenant, product: ofProduct } = query;
      const owner = intersect(caller.narrowed, {
        ...(ofTenant !== undefined && { tenant: ofTenant }),
        ...(ofProduct !== undefined && { product: ofProduct }),
      });
      const scope = [owner, status];
      const page = cursorsAcross.readPage(query, scope);
      const found = owner
        ? await deps.deliveryLog.listAcross(owner, { status, callerNarrowedTo: caller.narrowed }, page)
        : { resources: [], next: undefined };
      return cursorsAcross.toBody(found, scope, presentDeliveryOfDirectory);
    },
  }),
  defineOperation({
    ...common,
    id: 'deliveries.get',
    scope: 'deliveries:read',
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
    scope: 'deliveries:write',
    audit: ['delivery.retried'],
    method: 'post',
    path: `${one}/retry`,
    params: deliveryParams,
    title: 'Retry a delivery',
    description: 'Retries a pending or exhausted delivery now.',
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
    scope: 'deliveries:write',
    reach: 'deployment',
    audit: { none: 'Schedules call it all the time, and it changes nothing but when events are sent.' },
    method: 'post',
    aliasMethods: ['get'],
    path: '/api/v1/directory-sync/cron/process-events',
    title: 'Wake pending deliveries',
    description:
      'Starts the delivery of every directory with pending events. In batch mode (`DSYNC_WEBHOOK_BATCH_SIZE`), events wait for this call, or for the schedule of `DSYNC_WEBHOOK_BATCH_CRON_INTERVAL`. Without batch mode, deliveries start automatically. Concurrent calls share the work.',
    responses: {
      200: {
        description: 'The directories whose delivery this call started, at most 1,000 of them.',
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

const webhook = '/api/v1/directory-sync/{directoryId}/webhook';
const webhookCommon = { tag: 'Deliveries', auth: 'apiKey', method: 'post', params: directoryParams } as const;

export const webhookOperations = [
  defineOperation({
    ...webhookCommon,
    id: 'webhooks.test',
    scope: 'deliveries:write',
    audit: ['webhook.tested'],
    path: `${webhook}/test`,
    title: 'Send a test event',
    description: 'Sends a signed test event immediately, independently of pending events, and returns the response of the receiver.',
    responses: { 200: { description: 'The request and the response.', data: sentTestSchema } },
    errors: { 400: 'The directory has no webhook.' },
    handler: async ({ input: { params }, deps, ctx }) =>
      presentSentTest(await deps.deliveryControl.test(params.directoryId, signalOf(ctx))),
  }),
  defineOperation({
    ...webhookCommon,
    id: 'webhooks.rotateSecret',
    scope: 'directories:write',
    audit: ['webhook.secret_rotated'],
    path: `${webhook}/secret/rotate`,
    title: 'Rotate the webhook secret',
    description: 'Creates a new webhook secret. The previous one also signs for `overlap_seconds`, while you change it at the receiver.',
    body: { schema: rotateWebhookSecretRequest, isOptional: true },
    responses: { 200: { description: 'The new secret.', data: rotatedWebhookSecretSchema } },
    handler: async ({ input: { params, body }, deps }) => {
      const { secret, overlap_seconds: overlap } = body;
      const rotated = await deps.deliveryControl.rotateSecret(params.directoryId, { secret, overlapMs: overlap * 1_000 });
      const warnings = findWebhookSecretWarnings('secret', secret);
      return {
        secret: rotated.secret,
        previous_valid_until: toTime(rotated.previousValidUntil),
        ...(warnings.length > 0 && { warnings }),
      };
    },
  }),
];
