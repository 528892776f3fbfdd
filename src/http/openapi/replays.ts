import { z } from 'zod';
import { replayRequest } from '../../directory/delivery/replay-request.ts';
import { pageQuery } from '../../directory/directory-requests.ts';
import { replayAnswer, replayDryRun } from './answers/replay.ts';
import { answerOf, type Operation } from './operation.ts';

const all = '/api/v1/directory-sync/{directoryId}/replays';
const one = `${all}/{replayId}`;
const its = { tag: 'Replays', auth: 'apiKey' } as const;

export const replayOperations: Operation[] = [
  {
    ...its,
    operationId: 'replays.create',
    method: 'post',
    path: all,
    summary: 'Sends events again.',
    description: 'One by its id, sequence or delivery; all that failed or are missing; or a range of sequences or times.',
    body: { schema: replayRequest },
    answers: {
      200: answerOf('What would be sent, for a `dry_run`.', replayDryRun),
      202: answerOf('The replay; it runs after everything that is new.', replayAnswer),
    },
    refusals: { 429: 'As many replays as the directory may have are running or queued, or too many requests came.' },
  },
  {
    ...its,
    operationId: 'replays.list',
    method: 'get',
    path: all,
    summary: 'Lists the replays of a directory, newest first.',
    query: [pageQuery],
    answers: { 200: answerOf('The replays.', z.array(replayAnswer)) },
  },
  {
    ...its,
    operationId: 'replays.get',
    method: 'get',
    path: one,
    summary: 'Reads a replay, with its progress.',
    answers: { 200: answerOf('The replay.', replayAnswer) },
  },
  {
    ...its,
    operationId: 'replays.find',
    method: 'get',
    path: '/api/v1/directory-sync/replays/{replayId}',
    summary: 'Reads a replay whose directory is not at hand.',
    answers: { 200: answerOf('The replay.', replayAnswer) },
  },
  {
    ...its,
    operationId: 'replays.cancel',
    method: 'post',
    path: `${one}/cancel`,
    summary: 'Ends a replay.',
    description: 'What is being sent at that moment may still arrive.',
    answers: { 200: answerOf('The replay.', replayAnswer) },
    refusals: { 400: 'It has ended already.' },
  },
];
