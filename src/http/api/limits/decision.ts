import type { Context } from 'koa';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { isExempt, type LimitedRequest } from '../../../limits/request.ts';
import type { HttpDeps } from '../../deps.ts';
import { pathParam } from '../../operation.ts';
import { isKnown, peerOf, readCaller } from '../../server/limits/caller.ts';
import { type LimitingDeps, rejectOverLimit, setLimitHeaders } from '../../server/limits/limit-requests.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleId, field } from '../schema-fields.ts';
import { receiveBody } from '../../server/body/receive-body.ts';

export const decisionPath = '/api/v1/limits/decision';

const decisionSchema = z
  .strictObject({
    allowed: z.literal(true),
    lease: field(z.string().nullable(), 'Release it when the request is done.', exampleId),
  })
  .meta({ id: 'LimitDecision', description: 'The request may pass.' });

const common = {
  tag: 'Limits',
  requiresLimits: true,
  auth: 'gateway',
  scope: 'limits:read',
  reach: 'deployment',
  responses: { 200: { description: 'The request may pass.', data: decisionSchema, headers: ['X-Rollcall-Lease'] } },
  errors: { 400: 'It is not clear which request the decision is for.' },
  handler: ({ deps, ctx }: { deps: HttpDeps; ctx: Context }) => decide(ctx, deps.limiting!),
} as const;

/**
 * A gateway asks whether a request may pass. nginx (`auth_request`) and Traefik (ForwardAuth) describe the request in headers; Envoy
 * (ext_authz) sends its method and its path after the address. So the two serve every method and every path below the address.
 */
export const decisionOperations = [
  defineOperation({
    ...common,
    id: 'decideOnRequest',
    method: 'get',
    path: decisionPath,
    title: 'Decide on a request in headers',
    description:
      'For nginx (`auth_request`) and Traefik (ForwardAuth): `X-Forwarded-Method` and `X-Forwarded-Uri`, or `X-Original-Method` and `X-Original-Uri`. Any method is accepted.',
  }),
  defineOperation({
    ...common,
    id: 'decideOnPath',
    audit: { none: 'A gateway calls it for each request, and nothing is kept.' },
    method: 'post',
    path: `${decisionPath}/{path}`,
    params: z.object({ path: pathParam('The path of the request.', 'sessions/whoami') }),
    title: 'Decide on a request in the path',
    description: 'For Envoy (`ext_authz`). The method is that of the request, and the path may have any number of segments.',
  }),
];

async function decide(ctx: Context, deps: LimitingDeps): Promise<{ allowed: true; lease: string | null }> {
  const { limits } = deps;
  const described = readDescribedRequest(ctx, deps);
  const request: LimitedRequest = { ...described, isOwn: false, isAuthenticated: true, ...readCaller(ctx, deps) };
  // Only the project's limits apply, so whether its caller is known is not looked up.
  if (isExempt(request.method)) {
    const decision = await limits.project(request);
    if (decision?.isAllowed === false) rejectOverLimit(ctx, decision);
    if (decision) setLimitHeaders(ctx, decision);
    return { allowed: true, lease: null };
  }
  request.isAuthenticated = isKnown(ctx, deps, { isForGateway: true });
  request.subject = await readSubject(ctx, described.path);
  request.counted = [];
  const flood = await limits.volumetric(request);
  if (flood) rejectOverLimit(ctx, flood);
  const decision = await limits.project(request);
  if (decision?.isAllowed === false) rejectOverLimit(ctx, decision);
  const { lease, rejected } = await limits.inflight(request);
  if (rejected) rejectOverLimit(ctx, rejected);
  if (decision) setLimitHeaders(ctx, decision);
  if (lease !== undefined) {
    ctx.set('X-Rollcall-Lease', lease);
    releaseUnlessReceived(ctx, () => void limits.release(lease));
  }
  return { allowed: true, lease: lease ?? null };
}

/** A gateway that hung up does not know its lease. */
function releaseUnlessReceived(ctx: Context, release: () => void): void {
  if (ctx.res.destroyed) release();
  else
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) release();
    });
}

function readDescribedRequest(ctx: Context, { isTrustedProxy }: LimitingDeps): { method: string; path: string } {
  const readHeaders = (...names: string[]) => (isTrustedProxy(peerOf(ctx)) ? names.map((name) => ctx.get(name)).filter(Boolean) : []);
  const inHeaders = readHeaders('x-forwarded-uri', 'x-original-uri');
  const after = ctx.originalUrl.slice(decisionPath.length);
  const inPath = after.startsWith('/') && (after !== '/' || inHeaders.length === 0) ? after : undefined;
  const path = takeSame('path', [...(inPath === undefined ? [] : [inPath]), ...inHeaders]);
  const method = takeSame('method', inPath === undefined ? readHeaders('x-forwarded-method', 'x-original-method') : [ctx.method]);
  if (path === undefined || method === undefined)
    throw new AppError(
      'invalid_request',
      `Specify the method and path of the request: as ${decisionPath}/<path>, or from a trusted proxy as X-Forwarded-Method and X-Forwarded-Uri.`,
    );
  return { method: method.toUpperCase(), path };
}

/** A header that the gateway does not set may come from its caller. Then the two differ, and neither can be trusted. */
function takeSame(what: string, given: string[]): string | undefined {
  if (new Set(given).size > 1)
    throw new AppError(
      'invalid_request',
      `The ${what} is given twice, with different values: the gateway must drop the headers that it does not set.`,
    );
  return given[0];
}

const maxBytes = 65_536;

/** The account that a request recovers: the email address in its body, if the gateway forwards it, or the flow in its query. */
async function readSubject(ctx: Context, uri: string): Promise<string | undefined> {
  return (await readEmail(ctx)) ?? new URLSearchParams(/\?([^#]*)/.exec(uri)?.[1]).get('flow') ?? undefined;
}

async function readEmail(ctx: Context): Promise<string | undefined> {
  const type = ctx.is('application/json', 'application/x-www-form-urlencoded');
  if (!type || ctx.request.length > maxBytes) return undefined;
  const text = await readText(ctx);
  if (text === undefined) return undefined;
  if (type !== 'application/json') return new URLSearchParams(text).get('email') ?? undefined;
  try {
    const { email } = JSON.parse(text) as { email?: unknown };
    return typeof email === 'string' ? email : undefined;
  } catch {
    return undefined;
  }
}

async function readText(ctx: Context): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await receiveBody(ctx.req, (chunk) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    return undefined;
  });
  return bytes > maxBytes ? undefined : Buffer.concat(chunks).toString();
}
