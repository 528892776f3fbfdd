import { z } from 'zod';
import { pageQuery, selectorQuery } from '../../directory/directory-requests.ts';
import { userAnswer } from './answers/user.ts';
import { answerOf, type Operation } from './operation.ts';
import { whereToLook } from './where-to-look.ts';

const its = { tag: 'Users', auth: 'apiKey', method: 'get', ...whereToLook } as const;

export const userOperations: Operation[] = [
  {
    ...its,
    operationId: 'users.list',
    path: '/api/v1/directory-sync/users',
    summary: 'Lists users, oldest first.',
    query: [selectorQuery, pageQuery],
    answers: { 200: answerOf('The users.', z.array(userAnswer)) },
  },
  {
    ...its,
    operationId: 'users.get',
    path: '/api/v1/directory-sync/users/{userId}',
    summary: 'Reads a user.',
    query: [selectorQuery],
    answers: { 200: answerOf('The user.', userAnswer) },
  },
];
