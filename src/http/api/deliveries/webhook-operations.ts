import { defineOperation } from '../define-operation.ts';
import { presentSentTest } from './presenter.ts';
import { rotateWebhookSecretRequest } from './requests.ts';
import { rotatedWebhookSecretSchema, sentTestSchema } from './schemas.ts';
import { toTime } from '../field.ts';
import { directoryParams } from '../parse-request.ts';
import { findWebhookSecretWarnings } from '../../../directory/delivery/webhook-secrets.ts';

const webhook = '/api/v1/directory-sync/{directoryId}/webhook';
const common = { tag: 'Deliveries', auth: 'apiKey', method: 'post', params: directoryParams } as const;

export const webhookOperations = [
  defineOperation({
    ...common,
    id: 'webhooks.test',
    path: `${webhook}/test`,
    title: 'Send a test event',
    description: 'Sends a signed test event immediately, independently of pending events, and returns the response of the receiver.',
    responses: { 200: { description: 'The request and the response.', data: sentTestSchema } },
    errors: { 400: 'The directory has no webhook.' },
    handler: async ({ input: { params }, deps, ctx }) => {
      const left = new AbortController();
      ctx.res.once('close', () => left.abort());
      return presentSentTest(await deps.deliveryControl.test(params.directoryId, left.signal));
    },
  }),
  defineOperation({
    ...common,
    id: 'webhooks.rotateSecret',
    path: `${webhook}/secret/rotate`,
    title: 'Rotate the webhook secret',
    description: 'Creates a new webhook secret. The previous one also signs for `overlap_seconds`, while you change it at the receiver.',
    body: { schema: rotateWebhookSecretRequest, isOptional: true },
    responses: { 200: { description: 'The new secret.', data: rotatedWebhookSecretSchema } },
    handler: async ({ input: { params, body }, deps }) => {
      const { secret, overlap_seconds: overlapSeconds } = body;
      const rotated = await deps.deliveryControl.rotateSecret(params.directoryId, { secret, overlapMs: overlapSeconds * 1_000 });
      const warnings = findWebhookSecretWarnings('secret', secret);
      return {
        secret: rotated.secret,
        previous_valid_until: toTime(rotated.previousValidUntil),
        ...(warnings.length > 0 && { warnings }),
      };
    },
  }),
];
