import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import { z } from 'zod';
import { createFairSemaphore } from '../../../shared/fair-semaphore.ts';
import { signalOf, throwIfLeft } from '../../server/caller-left.ts';
import { type CachedFile, sendCached, toCachedFile } from '../../server/cached-file.ts';
import { defineOperation } from '../define-operation.ts';
import type { HttpDeps } from '../../deps.ts';
import { readVersion } from '../../../paths.ts';

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
        const { contentSecurityPolicy, ...page } = await docs.referencePage();
        ctx.set('Content-Security-Policy', contentSecurityPolicy);
        ctx.set('Referrer-Policy', 'no-referrer');
        sendCached(ctx, 'html', page);
      });
      return undefined;
    },
  }),
];

async function inTurn(ctx: Context, send: () => Promise<void>): Promise<void> {
  const leave = await turns.enter('', signalOf(ctx));
  try {
    await setImmediate();
    throwIfLeft(ctx);
    await send();
  } finally {
    leave();
  }
}

/** The OpenAPI document and the reference page: generated when they are first requested, because the base address is known only then. */
export function createDocs({ baseUrl, limiting }: Pick<HttpDeps, 'baseUrl' | 'limiting'>): HttpDeps['docs'] {
  const document = once(async () => {
    const { createDocument } = await import('../../openapi/document.ts');
    return createDocument({ baseUrl: baseUrl(), version: readVersion(), limiting: limiting !== undefined });
  });
  return {
    openApiDocument: once(async () => toCachedFile(JSON.stringify(await document()))),
    referencePage: once(async (): Promise<CachedFile & { contentSecurityPolicy: string }> => {
      const { renderReference, referenceContentSecurityPolicy: contentSecurityPolicy } =
        await import('../../reference/render-reference.ts');
      return { ...(await toCachedFile(renderReference(await document()))), contentSecurityPolicy };
    }),
  };
}

/** Creates a value on first use, and keeps it. */
function once<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}
