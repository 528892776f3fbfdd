import { z } from 'zod';
import type { Operation } from './operation.ts';

const its = { tag: 'Description', method: 'get', auth: 'none' } as const;

export const descriptionOperations: Operation[] = [
  {
    ...its,
    operationId: 'findReference',
    path: '/',
    summary: 'Leads whoever opens the address of the service to the page for people.',
    answers: {
      302: { description: 'On to `/docs`.', headers: ['Location'], content: { 'text/html': z.string(), 'text/plain': z.string() } },
    },
  },
  {
    ...its,
    operationId: 'readDescription',
    path: '/openapi.json',
    summary: 'Gives this description, as OpenAPI 3.1.',
    headers: ['If-None-Match'],
    answers: {
      200: {
        description: 'The description.',
        headers: ['ETag', 'Cache-Control'],
        content: { 'application/json': z.looseObject({ openapi: z.string() }) },
      },
      304: { description: 'It has not changed.', headers: ['ETag', 'Cache-Control'] },
    },
  },
  {
    ...its,
    operationId: 'readReference',
    path: '/docs',
    summary: 'Shows this description as a page for people.',
    headers: ['If-None-Match'],
    answers: {
      200: { description: 'The page.', headers: ['ETag', 'Cache-Control'], content: { 'text/html': z.string() } },
      304: { description: 'It has not changed.', headers: ['ETag', 'Cache-Control'] },
    },
  },
];
