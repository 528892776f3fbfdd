import type { Context, Middleware } from 'koa';
import type { Logger } from '../../logger.ts';
import { respondToErrors, writeEnvelope } from './errors.ts';

interface Page {
  title: string;
  text: string;
  /** Names and values, shown as a list. */
  facts?: Record<string, string>;
  note?: string;
  link?: { text: string; href: string };
}

/** Writes errors as a page, for paths that people open in a browser. A program that does not accept HTML gets the envelope. */
export function htmlPages(log: Logger): Middleware {
  const respond = respondToErrors(log, (ctx, error) => {
    if (ctx.accepts('json', 'html') === 'html') sendPage(ctx, { title: 'The request failed', text: error.message });
    else writeEnvelope(ctx, error);
  });
  return function respondWithPages(ctx, next) {
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Cache-Control', 'no-store');
    return respond(ctx, next);
  };
}

/** Sends a page without scripts, forms or frames. All given text is escaped. */
export function sendPage(ctx: Context, { title, text, facts = {}, note, link }: Page): void {
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  );
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
  dt { opacity: .7; }
  dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; unicode-bidi: isolate; }
  a { display: inline-block; padding: .5rem 1.5rem; border: 1px solid; border-radius: .4rem; color: inherit; text-decoration: none; }
</style>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${renderFacts(facts)}${note === undefined ? '' : `<p>${escapeHtml(note)}</p>\n`}${
    link === undefined ? '' : `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>\n`
  }</html>
`;
}

function renderFacts(facts: Record<string, string>): string {
  const rows = Object.entries(facts).map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>\n`);
  return rows.length > 0 ? `<dl>\n${rows.join('')}</dl>\n` : '';
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, between tags and in quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter]!);
