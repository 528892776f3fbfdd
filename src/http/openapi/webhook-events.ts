import { z } from 'zod';
import { directoryQuery, pageQuery, selectorQuery } from '../../directory/directory-requests.ts';
import { webhookEventAnswer } from './answers/delivery.ts';
import { answerOf, type Operation } from './operation.ts';
import { whereToLook } from './where-to-look.ts';

const all = '/api/v1/directory-sync/events';
const its = { tag: 'Webhook events', auth: 'apiKey', ...whereToLook } as const;

export const webhookEventOperations: Operation[] = [
  {
    ...its,
    operationId: 'webhookEvents.list',
    method: 'get',
    path: all,
    summary: "Lists what was sent to webhooks, in the ancestor's form, newest first.",
    query: [selectorQuery, pageQuery],
    answers: { 200: answerOf('The log.', z.array(webhookEventAnswer)) },
  },
  {
    ...its,
    operationId: 'webhookEvents.get',
    method: 'get',
    path: `${all}/{eventId}`,
    summary: "Reads one entry of the log, in the ancestor's form.",
    query: [selectorQuery],
    answers: { 200: answerOf('The entry.', webhookEventAnswer) },
  },
  {
    ...its,
    operationId: 'webhookEvents.delete',
    method: 'delete',
    path: all,
    summary: "Empties a directory's log of what is settled.",
    description: 'What is open, has given up or was passed over stays.',
    query: [directoryQuery],
    answers: { 200: answerOf('It is empty.', z.null()) },
  },
];
