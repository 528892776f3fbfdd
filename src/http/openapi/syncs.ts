import { z } from 'zod';
import { pageQuery } from '../../directory/directory-requests.ts';
import { syncRequest } from '../../directory/sync/sync-requests.ts';
import { startedSyncs, syncRunAnswer } from './answers/sync-run.ts';
import { answerOf, type Operation } from './operation.ts';

const all = '/api/v1/directory-sync/{directoryId}/syncs';
const one = `${all}/{runId}`;
const its = { tag: 'Syncs', auth: 'apiKey' } as const;

export const syncOperations: Operation[] = [
  {
    ...its,
    operationId: 'syncs.start',
    method: 'post',
    path: '/api/v1/directory-sync/{directoryId}/sync',
    summary: 'Reads a hosted directory now.',
    description: '`confirm` names a run that waits for a person to confirm its removals. It may stand in the query too.',
    body: { schema: syncRequest, isOptional: true },
    query: [syncRequest],
    answers: {
      200: answerOf('The run that goes on already.', syncRunAnswer),
      202: answerOf('The run that was begun.', syncRunAnswer),
    },
  },
  {
    ...its,
    operationId: 'syncs.list',
    method: 'get',
    path: all,
    summary: 'Lists the runs of a hosted directory, newest first.',
    query: [pageQuery],
    answers: { 200: answerOf('The runs.', z.array(syncRunAnswer)) },
  },
  {
    ...its,
    operationId: 'syncs.get',
    method: 'get',
    path: one,
    summary: 'Reads a run, with its progress.',
    answers: { 200: answerOf('The run.', syncRunAnswer) },
    refusals: { 400: 'The directory is not of type google.' },
  },
  {
    ...its,
    operationId: 'syncs.cancel',
    method: 'post',
    path: `${one}/cancel`,
    summary: 'Ends a run.',
    description: 'What it has changed stays changed.',
    answers: { 202: answerOf('The run.', syncRunAnswer) },
    refusals: { 400: 'It has ended already, or the directory is not of type google.' },
  },
  {
    ...its,
    operationId: 'syncs.startAll',
    method: 'post',
    path: '/api/v1/directory-sync/cron/sync-google',
    summary: 'Reads every hosted directory now.',
    answers: { 200: answerOf('Which directories are read.', startedSyncs) },
  },
];
