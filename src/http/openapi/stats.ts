import { z } from 'zod';
import { statsRequest } from '../../directory/stats-request.ts';
import { count, field } from './answers/field.ts';
import { answerOf, type Operation } from './operation.ts';

const stats = z
  .strictObject({
    sso_connections: field(count, 'There are none here.', 0),
    dsync_connections: field(count, 'Directories.', 12),
    identity_federation_apps: field(count, 'There are none here.', 0),
  })
  .meta({ id: 'Stats', description: "Counts, in the ancestor's form." });

const its = { tag: 'Stats', auth: 'apiKey' } as const;

export const statsOperations: Operation[] = [
  {
    ...its,
    operationId: 'stats.get',
    method: 'get',
    path: '/api/v1/stats',
    summary: 'Counts directories.',
    answers: { 200: answerOf('The counts.', stats) },
  },
  {
    ...its,
    operationId: 'stats.ofProducts',
    method: 'post',
    path: '/api/v1/stats/product',
    summary: 'Counts the directories of some products.',
    body: { schema: statsRequest },
    answers: { 200: answerOf('The counts.', stats) },
  },
];
