import { z } from 'zod';
import { errorAnswer } from './answers/error.ts';
import { field } from './answers/field.ts';
import { answerOf, type Operation } from './operation.ts';

const its = { tag: 'Health', method: 'get' } as const;

const notReady = z
  .strictObject({
    data: z.null(),
    error: errorAnswer.shape.error
      .extend({ missing: field(z.array(z.string()), 'What is missing, a sentence each.', ['The database does not answer.']) })
      .meta({ id: 'NotReadyProblem', description: 'Why the service can not do its work.' }),
  })
  .meta({ id: 'NotReady', description: 'The service can not do its work at this moment.' });

export const healthOperations: Operation[] = [
  {
    ...its,
    operationId: 'health.live',
    path: '/health/live',
    auth: 'none',
    summary: 'Says that the process runs.',
    answers: { 200: answerOf('It runs.', z.strictObject({ status: z.literal('live') })) },
  },
  {
    ...its,
    operationId: 'health.ready',
    path: '/health/ready',
    auth: 'none',
    summary: 'Says whether the process can do its work.',
    answers: {
      200: answerOf('It can.', z.strictObject({ status: z.literal('ready') })),
      503: { description: 'It can not, and says what is missing.', content: { 'application/json': notReady } },
    },
  },
  {
    ...its,
    operationId: 'readMetrics',
    path: '/metrics',
    auth: 'apiKey',
    summary: 'Gives figures, as Prometheus reads them.',
    answers: { 200: { description: 'The figures.', content: { 'text/plain': z.string() } } },
  },
];
