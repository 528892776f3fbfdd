import { z } from 'zod';
import { deliveriesQuery } from '../../directory/delivery/control-requests.ts';
import { pageQuery } from '../../directory/directory-requests.ts';
import { deliveryAnswer, wholeDelivery } from './answers/delivery.ts';
import { answerOf, type Operation } from './operation.ts';

const all = '/api/v1/directory-sync/{directoryId}/deliveries';
const one = `${all}/{deliveryId}`;
const its = { tag: 'Deliveries', auth: 'apiKey' } as const;

export const deliveryOperations: Operation[] = [
  {
    ...its,
    operationId: 'deliveries.list',
    method: 'get',
    path: all,
    summary: 'Lists what was sent to a webhook, newest first.',
    query: [deliveriesQuery, pageQuery],
    answers: { 200: answerOf('The deliveries.', z.array(deliveryAnswer)) },
  },
  {
    ...its,
    operationId: 'deliveries.get',
    method: 'get',
    path: one,
    summary: 'Reads a delivery, with its body and every attempt.',
    answers: { 200: answerOf('The delivery.', wholeDelivery) },
  },
  {
    ...its,
    operationId: 'deliveries.retry',
    method: 'post',
    path: `${one}/retry`,
    summary: 'Makes a delivery due now.',
    description: 'One that is open, or one of a replay that has failed.',
    answers: { 202: answerOf('The delivery; it is tried soon.', deliveryAnswer) },
    refusals: { 400: 'It is settled, or the delivery rests.' },
  },
  {
    ...its,
    operationId: 'deliveries.processQueued',
    method: 'post',
    path: '/api/v1/directory-sync/cron/process-events',
    summary: 'Wakes the delivery of every directory that has something to send.',
    description: 'Nobody has to call it: deliveries wake by themselves. It is here for schedulers of the ancestor.',
    answers: {
      200: answerOf(
        'Those that were woken.',
        z.strictObject({ message: z.literal('Processing started'), directory_ids: z.array(z.string()) }),
      ),
    },
  },
];
