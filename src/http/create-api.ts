import Koa, { type Middleware } from 'koa';
import { metricsPortCaller } from '../access/caller.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { decisionPath } from './api/limits/decision.ts';
import { leasesPath } from './api/limits/operations.ts';
import type { HttpDeps } from './deps.ts';
import { tokenErrors } from './oauth/token-errors.ts';
import { tokenPath } from './oauth/token-path.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { type ProviderAuthenticationDeps, authenticateIdentityProvider } from './scim/authenticate-identity-provider.ts';
import { scimErrors } from './scim/send-scim.ts';
import { mountSignIn } from './console/mount-sign-in.ts';
import { authenticateCaller, guardAliases } from './server/authenticate-session.ts';
import { authenticateApiKey, authenticateGateway, callAs, type ApiKeyDeps } from './server/authenticate-api-key.ts';
import { attributeActs, type AttributionDeps } from './server/attribute-acts.ts';
import { peerOf } from './server/limits/caller.ts';
import { limitGuesses, limitProject, limitVolume } from './server/limits/limit-requests.ts';
import { htmlPages } from './server/html-page.ts';
import { recordRequests } from './server/record-requests.ts';
import { signalOf } from './server/caller-connection.ts';
import { mount, routing } from './server/routing.ts';
import { envelope } from './server/errors.ts';
import { authenticateSetupLink, hideToken, protectAddress } from './setup/authenticate-setup-link.ts';
import { setupPageErrors } from './setup/page-errors.ts';
import { readVersion } from '../paths.ts';
import { type CachedFile, toCachedFile } from './server/cached-file.ts';
import { randomUUID } from 'node:crypto';
import type { Metrics } from '../metrics.ts';

export interface ApiDeps extends Omit<HttpDeps, 'docs'>, ApiKeyDeps, ProviderAuthenticationDeps {
  recordRequest: Parameters<typeof recordRequests>[0];
  attribution: AttributionDeps;
  log: Logger;
}

/** The whole API. Every path below a prefix is authenticated before it is routed, even one that does not exist. */
export function createApi(given: ApiDeps): Koa {
  const deps = { ...given, docs: createDocs(given) };
  const { log, limiting } = deps;
  const app = new Koa();
  app.on('error', (error: Error) => log.warn({ error: toLoggableMessage(error) }, 'a response could not be sent'));
  app.use(logRequests(log));
  app.use(withoutStoring);
  const attribute = attributeActs(deps.attribution);
  // Without limits, none of this costs a request anything.
  const beforeAuthentication = (at: 'scim' | 'api' | 'metrics' | 'token') =>
    limiting ? [limitGuesses(limiting, deps.rejectEarly, at), limitVolume(limiting)] : [];
  const afterAuthentication = limiting ? [limitProject(limiting)] : [];
  const open = limiting ? [limitVolume(limiting), limitProject(limiting, { isOpen: true })] : [];
  if (limiting) {
    const flood = limitVolume(limiting);
    // A trusted proxy asks on behalf of others, who are counted by the requests that it describes.
    const guesses = limitGuesses(limiting, deps.rejectEarly, 'gateway');
    const limitOthers: Middleware = (ctx, next) =>
      limiting.isTrustedProxy(peerOf(ctx)) ? next() : guesses(ctx, () => Promise.resolve(flood(ctx, next)));
    const asGateway = [envelope(log), limitOthers, authenticateGateway(deps)];
    app.use(mount(decisionPath, ...asGateway, (ctx) => operations.decisions[0]!.handle(ctx, deps, {})));
    app.use(mount(leasesPath, ...asGateway, routing(operations.gateway, deps)));
  }
  // Its body, with the credentials, is neither recorded nor logged.
  const token = mount(tokenPath, tokenErrors(log), ...beforeAuthentication('token'), routing(operations.oauth, deps));
  app.use((ctx, next) => (ctx.path === tokenPath ? token(ctx, next) : next()));
  const guessesOfConsent = limiting ? [limitGuesses(limiting, deps.rejectEarly, 'consent')] : [];
  app.use(mount('/api/scim/oauth/', htmlPages(log), ...guessesOfConsent, ...open, routing(operations.consent.map(attribute), deps)));
  app.use(
    mount(
      '/api/scim',
      measureScimRequests(deps.metrics),
      recordRequests(deps.recordRequest) as Middleware,
      scimErrors(log),
      withoutEmptySegments,
      ...beforeAuthentication('scim'),
      authenticateIdentityProvider(deps) as Middleware,
      ...afterAuthentication,
      holdResponses(deps),
      routing(operations.scim.map(endWithCaller), deps),
    ),
  );
  for (const middleware of mountSignIn(deps, open, attribute)) app.use(middleware);
  const guessesOfLinks = limiting ? [limitGuesses(limiting, deps.rejectEarly, 'setup')] : [];
  for (const [prefix, errors, handled] of [
    ['/setup/', setupPageErrors(log), operations.setupPages],
    ['/api/setup/', envelope(log), operations.setup],
  ] as const)
    app.use(
      mount(
        prefix,
        protectAddress,
        errors,
        ...guessesOfLinks,
        ...open,
        authenticateSetupLink(prefix, deps),
        routing(handled.map(attribute), deps),
      ),
    );
  const polisHealth = mount('/api/health', envelope(log), routing(operations.health, deps));
  // Only this path is open. Longer ones are authenticated like any other.
  app.use((ctx, next) => (/^\/api\/health\/?$/.test(ctx.path) ? polisHealth(ctx, next) : next()));
  app.use(
    mount(
      '/api/',
      envelope(log),
      ...beforeAuthentication('api'),
      authenticateCaller(deps),
      ...afterAuthentication,
      withLowerCaseIds,
      holdResponses(deps),
      routing(
        [...operations.api, ...operations.signIn]
          .filter(({ requiresLimits }) => limiting || !requiresLimits)
          .map(endWithCaller)
          .map(guardAliases(deps))
          .map(attribute),
        deps,
      ),
    ),
  );
  app.use(
    mount(
      '/metrics',
      envelope(log),
      ...beforeAuthentication('metrics'),
      authenticateApiKey(deps, 'metrics'),
      ...afterAuthentication,
      routing(operations.metrics, deps),
    ),
  );
  app.use(envelope(log));
  app.use(routing(operations.health, deps));
  for (const limit of open) app.use(limit);
  app.use(routing(operations.docs, deps));
  return app;
}

/** A worker's own server: only its health. */
export const createHealthServer = ({ checkReadiness, log }: Pick<ApiDeps, 'checkReadiness' | 'log'>): Koa =>
  new Koa()
    .use(envelope(log, 'This port serves only /health/live and /health/ready.'))
    .use(routing(operations.health, { checkReadiness } as HttpDeps));

/** The metrics on a port of their own, without authentication. */
export const createMetricsServer = ({ metrics, log }: Pick<ApiDeps, 'metrics' | 'log'>): Koa =>
  new Koa()
    .use(envelope(log, 'This port serves only /metrics.'))
    .use(callAs(metricsPortCaller))
    .use(routing(operations.metrics, { metrics } as HttpDeps));

/** Below /api/ are secrets and people's data: no cache and no browser may store them. */
const withoutStoring: Middleware = (ctx, next) => {
  if (ctx.path.startsWith('/api/')) ctx.set('Cache-Control', 'no-store');
  return next();
};

/** Some callers write UUIDs in capitals. IDs also name workflows, where each must have one spelling. */
const withLowerCaseIds: Middleware = (ctx, next) => {
  ctx.path = ctx.path.replaceAll(/(?<=\/)[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\/|$)/gi, (id) => id.toLowerCase());
  return next();
};

/** A provider that joins a base address ending in a slash and a path beginning with one sends two slashes (Entra, with its flag). */
const withoutEmptySegments: Middleware = (ctx, next) => {
  ctx.path = ctx.path.replaceAll(/\/{2,}/g, '/');
  return next();
};

/** The memory of a response is counted until the response has left, however slowly the caller reads it. */
const holdResponses =
  ({ responseMemory }: Pick<HttpDeps, 'responseMemory'>): Middleware =>
  (ctx, next) =>
    responseMemory.during(ctx.res, next);

/**
 * What an operation still reads when its caller has left is canceled in Postgres. Other operations may have committed to something already,
 * even by GET: those of cron jobs, and the pages below /api/scim/oauth/.
 */
const endWithCaller = (operation: Operation): Operation =>
  operation.method === 'get' || operation.path.endsWith('/.search')
    ? { ...operation, handle: (ctx, deps, params) => deps.runUntilAborted(signalOf(ctx), () => operation.handle(ctx, deps, params)) }
    : operation;

/**
 * Logs one line for each request, with the ID of its response. It never logs the query or body, which may contain people's data, or the token
 * of a setup link. Many failed
 * authentications are summarized elsewhere.
 */
function logRequests(log: Logger): Middleware {
  return async function logRequest(ctx, next) {
    const startedMs = performance.now();
    const given = ctx.get('x-request-id');
    const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    await next();
    const level = ctx.path.startsWith('/health/') || ctx.state['isSummarized'] === true ? 'debug' : 'info';
    log[level](
      {
        requestId,
        method: ctx.method,
        path: hideToken(ctx.path).slice(0, 300),
        status: ctx.status,
        ms: Math.round(performance.now() - startedMs),
      },
      'request',
    );
  };
}

/** The OpenAPI document and the reference page: generated when they are first requested, because the base address is known only then. */
function createDocs({ baseUrl, limiting }: Pick<HttpDeps, 'baseUrl' | 'limiting'>): HttpDeps['docs'] {
  const document = once(async () => {
    const { createDocument } = await import('./openapi/create-document.ts');
    return createDocument({ baseUrl: baseUrl(), version: readVersion(), limiting: limiting !== undefined });
  });
  const files = once(async () => (await import('./reference/guides.ts')).listGuides());
  const pages = new Map<string, () => Promise<CachedFile & { contentSecurityPolicy: string }>>();
  return {
    openApiDocument: once(async () => toCachedFile(JSON.stringify(await document()))),
    referencePage: once(async (): Promise<CachedFile & { contentSecurityPolicy: string }> => {
      const { renderReference, referenceContentSecurityPolicy: contentSecurityPolicy } = await import('./reference/render-reference.ts');
      return { ...(await toCachedFile(renderReference(await document()))), contentSecurityPolicy };
    }),
    async guide(path) {
      const file = (await files()).get(path);
      if (file === undefined) return undefined;
      const page = pages.get(path) ?? once(() => createGuide(file));
      pages.set(path, page);
      return page();
    },
  };
}

async function createGuide(file: string) {
  const { renderGuide, guideContentSecurityPolicy: contentSecurityPolicy } = await import('./reference/guides.ts');
  return { ...(await toCachedFile(await renderGuide(file))), contentSecurityPolicy };
}

/** Creates a value on first use, and keeps it. */
function once<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}

const types = ['Users', 'Groups', 'Bulk', 'Me', 'Schemas', 'ResourceTypes', 'ServiceProviderConfig', '.search'];

/** Counts and times requests by route and status. The route has few values, whatever the path is. */
const measureScimRequests =
  (metrics: Pick<Metrics, 'scimRequest'>): Middleware =>
  async (ctx, next) => {
    const startedMs = performance.now();
    const route = routeOf(ctx.path);
    await next();
    metrics.scimRequest({ method: ctx.method, route, status: ctx.status }, (performance.now() - startedMs) / 1000);
  };

function routeOf(path: string): string {
  const [, , , , , first = '', second] = path.replaceAll(/\/{2,}/g, '/').split('/');
  const type = types.find((known) => known.toLowerCase() === first.toLowerCase());
  if (type === undefined) return 'other';
  if (!second) return type;
  return second === '.search' ? `${type}/.search` : `${type}/:id`;
}
