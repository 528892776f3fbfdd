import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { consoleFolder } from '../../paths.ts';
import type { HttpDeps } from '../deps.ts';
import { type CachedFile, sendCached, toCachedFile } from '../server/cached-file.ts';
import { escapeHtml } from '../server/html-page.ts';
import { addressOf } from './define-page.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const assets = { '/console/assets/console.js': 'js', '/console/assets/console.css': 'css' } as const;
const files = new Map<string, Promise<CachedFile>>();

/**
 * Serves the console: two files, and the same page for each of its addresses. The page has no data, and reads it from the API with the
 * session. So everyone may load it, even by a link from another site, for which browsers do not send the cookie of the session.
 */
export function serveConsole(deps: Pick<HttpDeps, 'baseUrl'>): Middleware {
  return async function serve(ctx, next) {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    setSecurityHeaders(ctx);
    if (ctx.path in assets) return sendAsset(ctx, ctx.path as keyof typeof assets);
    if (ctx.path.startsWith('/console/assets/')) return next();
    ctx.type = 'html';
    ctx.body = renderShell(deps);
  };
}

function setSecurityHeaders(ctx: Context): void {
  ctx.set('Content-Security-Policy', policy);
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('X-Content-Type-Options', 'nosniff');
}

async function sendAsset(ctx: Context, path: keyof typeof assets): Promise<void> {
  let file = files.get(path);
  if (!file) {
    file = readAsset(path);
    files.set(path, file);
    // The next request reads it again.
    void file.catch(() => files.delete(path));
  }
  sendCached(ctx, assets[path], await file);
}

const readAsset = async (path: keyof typeof assets) =>
  toCachedFile(await readFile(join(consoleFolder(), `console.${assets[path]}`), 'utf8'));

const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#3b5bdb'/><path d='M4 8.5l2.7 2.7L12 5.5' fill='none' stroke='#fff' stroke-width='2'/></svg>`;

const renderShell = (deps: Pick<HttpDeps, 'baseUrl'>) => `<!doctype html>
<html lang="en" data-base="${escapeHtml(addressOf(deps, ''))}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rollcall</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<link rel="stylesheet" href="${escapeHtml(addressOf(deps, '/console/assets/console.css'))}">
<script type="module" src="${escapeHtml(addressOf(deps, '/console/assets/console.js'))}"></script>
<div id="app"></div>
<noscript><p>The console requires JavaScript. <a href="${escapeHtml(addressOf(deps, '/console/sign-in'))}">Sign in</a></p></noscript>
</html>
`;
