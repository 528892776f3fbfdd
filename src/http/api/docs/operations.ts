import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import { z } from 'zod';
import { createFairSemaphore } from '../../../shared/fair-semaphore.ts';
import { signalOf, throwIfDisconnected } from '../../server/caller-connection.ts';
import { type CachedFile, sendCached } from '../../server/cached-file.ts';
import { AppError } from '../../../errors.ts';
import { pathParam } from '../../operation.ts';
import { defineOperation } from '../define-operation.ts';

const common = { tag: 'Docs', method: 'get', auth: 'none' } as const;
const responseHeaders = ['ETag', 'Cache-Control'] as const;
const notModified = { 304: { description: 'It has not changed.', headers: responseHeaders } } as const;

/** The files have half a megabyte each and are public: one is written in each turn of the event loop. MAX_CONNECTIONS bounds how many wait. */
const turns = createFairSemaphore({
  name: 'docs',
  concurrency: 1,
  perDirectory: 1,
  maxWaiting: Infinity,
  maxWaitingPerDirectory: Infinity,
});

export const docsOperations = [
  defineOperation({
    ...common,
    id: 'findReference',
    path: '/',
    title: 'Redirect to the API reference',
    responses: {
      302: { description: 'Redirects to `/docs`.', headers: ['Location'], content: { 'text/html': z.string(), 'text/plain': z.string() } },
    },
    handler: ({ ctx }) => {
      ctx.redirect('/docs');
      return undefined;
    },
  }),
  defineOperation({
    ...common,
    headers: ['If-None-Match'],
    id: 'readDescription',
    path: '/openapi.json',
    title: 'Get the OpenAPI document',
    description: 'Returns this document, in OpenAPI 3.1.',
    responses: {
      200: {
        description: 'The document.',
        headers: responseHeaders,
        content: { 'application/json': z.looseObject({ openapi: z.string().meta({ examples: ['3.1.0'] }) }) },
      },
      ...notModified,
    },
    handler: async ({ ctx, deps: { docs } }) => {
      await inTurn(ctx, async () => sendCached(ctx, 'json', await docs.openApiDocument()));
      return undefined;
    },
  }),
  defineOperation({
    ...common,
    headers: ['If-None-Match'],
    id: 'readReference',
    path: '/docs',
    title: 'Show the API reference',
    description: 'Shows this document as a page.',
    responses: { 200: { description: 'The page.', headers: responseHeaders, content: { 'text/html': z.string() } }, ...notModified },
    handler: async ({ ctx, deps: { docs } }) => {
      await inTurn(ctx, async () => {
        sendPage(ctx, await docs.referencePage());
      });
      return undefined;
    },
  }),
  defineOperation({
    ...common,
    headers: ['If-None-Match'],
    id: 'readGuide',
    path: '/docs/{folder}/{page}',
    title: 'Show a guide',
    description: 'Shows a page of the documentation.',
    params: z.object({
      folder: pathParam('The part of the documentation.', 'guides'),
      page: pathParam('The name of the page.', 'users-table'),
    }),
    responses: { 200: { description: 'The page.', headers: responseHeaders, content: { 'text/html': z.string() } }, ...notModified },
    handler: async ({ input: { params }, ctx, deps: { docs } }) => {
      const guide = await docs.guide(`${params.folder}/${params.page}`);
      if (!guide) throw new AppError('not_found', 'There is no guide with this name; /docs links to all of them.');
      await inTurn(ctx, async () => sendPage(ctx, guide));
      return undefined;
    },
  }),
];

function sendPage(ctx: Context, { contentSecurityPolicy, ...page }: CachedFile & { contentSecurityPolicy: string }): void {
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.set('Referrer-Policy', 'no-referrer');
  sendCached(ctx, 'html', page);
}

async function inTurn(ctx: Context, send: () => Promise<void>): Promise<void> {
  const leave = await turns.enter('', signalOf(ctx));
  try {
    await setImmediate();
    throwIfDisconnected(ctx);
    await send();
  } finally {
    leave();
  }
}
