import type { Middleware } from 'koa';
import type { IsIn } from '../limits/networks.ts';
import { authenticateApiKey, type ApiKeyDeps } from './authenticate-api-key.ts';
import { peerOf } from './caller.ts';

/** A trusted proxy needs no key: what it passes on of `Authorization` is its caller's. */
export function authenticateGateway(deps: ApiKeyDeps, isTrustedProxy: IsIn): Middleware {
  const byKey = authenticateApiKey(deps, 'gateway');
  return (ctx, next) => (isTrustedProxy(peerOf(ctx)) ? next() : byKey(ctx, next));
}
