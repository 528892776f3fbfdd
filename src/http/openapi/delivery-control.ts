import { resumeRequest, rotateRequest } from '../../directory/delivery/control-requests.ts';
import { rotatedWebhookSecret, sentTest } from './answers/delivery.ts';
import { deliveryState, pausedDelivery } from './answers/delivery-state.ts';
import { answerOf, type Operation } from './operation.ts';

const one = '/api/v1/directory-sync/{directoryId}';
const its = { tag: 'Deliveries', auth: 'apiKey' } as const;

export const deliveryControlOperations: Operation[] = [
  {
    ...its,
    operationId: 'deliveries.state',
    method: 'get',
    path: `${one}/delivery`,
    summary: 'Says how the delivery of a directory stands.',
    answers: { 200: answerOf('How it stands.', deliveryState) },
  },
  {
    ...its,
    operationId: 'deliveries.pause',
    method: 'post',
    path: `${one}/pause`,
    summary: 'Stops sending.',
    description: 'It is answered when nothing is being sent any more, or after a while with `settled` false. Events wait.',
    answers: { 200: answerOf('How it stands.', pausedDelivery) },
  },
  {
    ...its,
    operationId: 'deliveries.resume',
    method: 'post',
    path: `${one}/resume`,
    summary: 'Goes on sending.',
    description: 'From the backlog, or from now, which passes over what waits. A delivery that has given up wants to be told which.',
    body: { schema: resumeRequest, isOptional: true },
    answers: { 200: answerOf('How it stands.', deliveryState) },
    refusals: { 400: '`from` is missing where delivery has given up, or is `now` while delivery is enabled and events are pending.' },
  },
  {
    ...its,
    operationId: 'webhooks.test',
    method: 'post',
    path: `${one}/webhook/test`,
    summary: 'Sends a signed test event at once, beside the order, and shows the answer.',
    answers: { 200: answerOf('What was sent, and what was answered.', sentTest) },
    refusals: { 400: 'The directory has no webhook.' },
  },
  {
    ...its,
    operationId: 'webhooks.rotateSecret',
    method: 'post',
    path: `${one}/webhook/secret/rotate`,
    summary: 'Gives a webhook a new secret.',
    description: 'The former one signs beside it for a while, so that the receiver can be given the new one in peace.',
    body: { schema: rotateRequest, isOptional: true },
    answers: { 200: answerOf('The new secret.', rotatedWebhookSecret) },
  },
];
