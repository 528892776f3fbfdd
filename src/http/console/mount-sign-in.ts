import type { Middleware } from 'koa';
import type { Logger } from '../../logger.ts';
import { sessionsPath } from '../api/sessions/operations.ts';
import type { HttpDeps } from '../deps.ts';
import type { Operation } from '../operation.ts';
import { operations } from '../operations.ts';
import { findSession } from '../server/authenticate-session.ts';
import { envelope } from '../server/errors.ts';
import { htmlPages } from '../server/html-page.ts';
import { limitGuesses } from '../server/limits/limit-requests.ts';
import { mount, routing } from '../server/routing.ts';
import { serveConsole } from './serve-console.ts';
import { addressOf } from './define-page.ts';
import { consolePages } from './pages.ts';

type MountedDeps = HttpDeps & { log: Logger };

/**
 * Mounts the operations and pages for people who have not signed in. `open` limits them, and
 * `attribute` wraps those that add to the audit log.
 */
export function mountSignIn(deps: MountedDeps, open: Middleware[], attribute: (operation: Operation) => Operation): Middleware[] {
  const { limiting, log } = deps;
  const limits = limiting ? [limitGuesses(limiting, deps.rejectEarly, 'sign_in'), ...open] : open;
  const signIn = mount(sessionsPath, envelope(log), ...limits, routing(operations.signIn.map(attribute), deps));
  const pages = mount(
    '/console',
    // With no-referrer, browsers would send `Origin: null` with forms.
    htmlPages(log, { referrerPolicy: 'same-origin', linkOf: () => ({ text: 'Sign in', href: addressOf(deps, '/console/sign-in') }) }),
    ...limits,
    findSession(deps),
    routing(consolePages.map(attribute), deps),
    serveConsole(deps),
  );
  return [
    // Only this request works without authentication.
    (ctx, next) => (ctx.path === sessionsPath && ctx.method === 'POST' ? signIn(ctx, next) : next()),
    (ctx, next) => (/^\/console(\/|$)/.test(ctx.path) ? pages(ctx, next) : next()),
  ];
}
