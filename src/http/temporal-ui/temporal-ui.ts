import Koa, { type Context, type Middleware } from 'koa';
import { request } from 'undici';
import { type Caller, isAdministrator } from '../../access/caller.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { ReadPayloads } from '../../temporal/read-payloads.ts';
import { isLoopbackHost } from '../../shared/loopback-host.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';
import type { SessionDeps } from '../server/authenticate-session.ts';
import { signalOf } from '../server/caller-connection.ts';
import { readClientAddress } from '../server/limits/caller.ts';
import { readSessionCookie } from '../server/session-cookie.ts';
import { htmlPages, sendPage } from '../server/html-page.ts';
import { createDecode, originOf } from './decode.ts';

export interface TemporalUiDeps extends Omit<SessionDeps, 'countFailedAuthentication'> {
  /** Where Temporal's UI listens. */
  target: string;
  readPayloads: ReadPayloads;
  log: Logger;
}

const decodePath = '/codec/decode';
const settingsPath = '/api/v1/settings';
/** Headers that pass in each direction. No cookie does: Temporal's UI must not see that of the session, and needs none of its own to be read. */
const forwarded = ['accept', 'accept-encoding', 'if-none-match', 'if-modified-since'];
const returned = ['content-type', 'content-encoding', 'content-length', 'cache-control', 'etag', 'last-modified', 'location', 'vary'];
const responseTimeoutMs = 30_000;

/**
 * Temporal's own UI, for administrators who are signed in to the console, and only for reading. It has its own port, because its scripts must
 * not run as pages of Rollcall. The browser sends the cookie of the session to every port of a host.
 */
export function createTemporalUi(deps: TemporalUiDeps): Koa {
  const app = new Koa();
  app.on('error', (error: Error) => deps.log.warn({ error: toLoggableMessage(error) }, 'a response could not be sent'));
  const decode = createDecode(deps.readPayloads);
  // The decoder learns from the referrer which workflow a page shows.
  app.use(htmlPages(deps.log, { referrerPolicy: 'same-origin' }));
  app.use(assertThisMachine);
  app.use(assertAdministrator(deps));
  app.use(async (ctx) => {
    if (ctx.method === 'POST' && ctx.path === decodePath) return decode(ctx);
    if (!['GET', 'HEAD'].includes(ctx.method))
      throw new AppError(
        'method_not_allowed',
        "Rollcall shows Temporal's UI for reading only. Change workflows with the temporal command line.",
      );
    await (ctx.path === settingsPath ? sendSettings(ctx, deps) : forward(ctx, deps));
  });
  return app;
}

/** A page whose domain name leads to this machine names itself here. */
const assertThisMachine: Middleware = (ctx, next) => {
  if (!isLoopbackHost(ctx.get('host')) || ctx.get('sec-fetch-site') === 'cross-site')
    throw new AppError('foreign_origin', "Temporal's UI is only for browsers on this machine: open it at localhost or 127.0.0.1.");
  return next();
};

function assertAdministrator(deps: TemporalUiDeps): Middleware {
  return async function checkAdministrator(ctx, next) {
    const caller = await findCaller(ctx, deps);
    if (caller && isAdministrator(caller)) return next();
    ctx.status = caller ? 403 : 401;
    const url = new URL(`${deps.baseUrl()}/console`);
    // The cookie belongs to the name by which the browser knows this machine.
    url.hostname = new URL(originOf(ctx)).hostname;
    sendPage(ctx, {
      title: caller ? 'For administrators only' : 'Sign in first',
      text: caller
        ? "Temporal's UI shows the data of all directories. It requires a session with all scopes that is not narrowed."
        : "Temporal's UI uses the session of the console. Sign in there as an administrator, and open this page again.",
      link: { text: 'Open the console', href: url.href },
    });
  };
}

async function findCaller(ctx: Context, { sessionAuthentication, isTrustedProxy, baseUrl }: TemporalUiDeps): Promise<Caller | undefined> {
  const token = readSessionCookie(ctx, baseUrl());
  if (token === undefined) return undefined;
  // The pages ask again and again while they are open, and an open tab must not keep a session alive.
  const isUse = ctx.get('sec-fetch-dest') === 'document';
  const found = await sessionAuthentication.authenticate(token, readClientAddress(ctx, isTrustedProxy), { isUse });
  return found instanceof AppError ? undefined : found.caller;
}

/** The UI asks here which decoder to use, and which buttons to show. */
async function sendSettings(ctx: Context, deps: TemporalUiDeps): Promise<void> {
  const { statusCode, body } = await ask(ctx, deps, 'GET');
  const settings: unknown = statusCode === 200 ? await body.json().catch(() => undefined) : await body.dump();
  if (typeof settings !== 'object' || settings === null) throw noResponse();
  const Endpoint = `${originOf(ctx)}${decodePath.slice(0, decodePath.lastIndexOf('/'))}`;
  ctx.body = { ...settings, DisableWriteActions: true, Codec: { Endpoint, PassAccessToken: false, IncludeCredentials: false } };
}

async function forward(ctx: Context, deps: TemporalUiDeps): Promise<void> {
  const headers = Object.fromEntries(forwarded.flatMap((name) => (ctx.get(name) === '' ? [] : [[name, ctx.get(name)]])));
  const { statusCode, headers: answered, body } = await ask(ctx, deps, ctx.method as 'GET' | 'HEAD', headers);
  ctx.status = statusCode;
  for (const name of returned) {
    const value = answered[name];
    if (value !== undefined) ctx.set(name, value);
  }
  // Which scripts may run is in its pages.
  ctx.set('Content-Security-Policy', "connect-src 'self'; frame-ancestors 'none'; form-action 'none'; base-uri 'self'");
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('X-Content-Type-Options', 'nosniff');
  // Whoever left has nobody to tell.
  body.on('error', () => undefined);
  ctx.body = body;
}

const noResponse = (cause?: unknown) =>
  new AppError('unavailable', "Temporal's UI does not respond: Temporal may be starting. Try again.", { cause });

/** The path comes from the browser, so it is set as a path: as a relative address it could name another host. */
async function ask(ctx: Context, { target }: TemporalUiDeps, method: 'GET' | 'HEAD', headers: Record<string, string> = {}) {
  const url = Object.assign(new URL(target), { pathname: ctx.path, search: ctx.search });
  const signal = signalOf(ctx);
  try {
    return await request(url, { method, headers, signal, headersTimeout: responseTimeoutMs, bodyTimeout: responseTimeoutMs });
  } catch (error) {
    throw signal.aborted ? signal.reason : noResponse(error);
  }
}
