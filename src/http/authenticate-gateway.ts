import type { Middleware } from 'koa';
import type { IsIn } from '../limits/networks.ts';
import { authenticateApiKey } from './authenticate-api-key.ts';
import { peerOf } from './caller.ts';

/** A trusted proxy needs no key: what it passes on of `Authorization` is its caller's. */
export function authenticateGateway(apiKeys: string[], isTrustedProxy: IsIn): Middleware {
  const byKey = authenticateApiKey(apiKeys);
  return (ctx, next) => (isTrustedProxy(peerOf(ctx)) ? next() : byKey(ctx, next));
}
