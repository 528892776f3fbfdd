import { createHash } from 'node:crypto';
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
  forms?: Form[];
  /** Where the browser goes by itself, within this service. */
  continueTo?: string;
}

/** Works without JavaScript. */
interface Form {
  action: string;
  button: string;
  field?: { name: string; label: string; type: 'password' };
  hidden?: Record<string, string>;
}

/** Writes errors as a page, for paths that people open in a browser. A program that does not accept HTML gets the envelope. */
export function htmlPages(
  log: Logger,
  { linkOf, referrerPolicy = 'no-referrer' }: { linkOf?: () => Page['link']; referrerPolicy?: string } = {},
): Middleware {
  const respond = respondToErrors(log, (ctx, error) => {
    const link = linkOf?.();
    if (ctx.accepts('json', 'html') === 'html') sendPage(ctx, { title: 'The request failed', text: error.message, ...(link && { link }) });
    else writeEnvelope(ctx, error);
  });
  return function respondWithPages(ctx, next) {
    ctx.set('Referrer-Policy', referrerPolicy);
    ctx.set('Cache-Control', 'no-store');
    return respond(ctx, next);
  };
}

const style = `
  :root { color-scheme: light dark; }
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
  dt { opacity: .7; }
  dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; unicode-bidi: isolate; }
  label { display: block; }
  input { display: block; box-sizing: border-box; width: 100%; margin: .25rem 0 1rem; padding: .5rem; font: inherit; }
  a, button { display: inline-block; padding: .5rem 1.5rem; border: 1px solid; border-radius: .4rem; color: inherit; text-decoration: none; }
  button { background: none; font: inherit; cursor: pointer; }
  form { margin: 1rem 0; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** Sends a page without scripts or frames. All given text is escaped. */
export function sendPage(ctx: Context, { title, text, facts = {}, note, link, forms = [], continueTo }: Page): void {
  const formAction = forms.length > 0 ? "'self'" : "'none'";
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  );
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${continueTo === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escapeHtml(continueTo)}">\n`}<title>${escapeHtml(title)}</title>
<style>${style}</style>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${renderFacts(facts)}${note === undefined ? '' : `<p>${escapeHtml(note)}</p>\n`}${forms.map(renderForm).join('')}${
    link === undefined ? '' : `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>\n`
  }</html>
`;
}

function renderForm({ action, button, field, hidden = {} }: Form): string {
  const inputs = Object.entries(hidden).map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`);
  const shown =
    field && `<label>${field.label}<input name="${field.name}" type="${field.type}" required autocomplete="off" autofocus></label>`;
  return `<form method="post" action="${escapeHtml(action)}">${inputs.join('')}${shown ?? ''}<button>${escapeHtml(button)}</button></form>\n`;
}

function renderFacts(facts: Record<string, string>): string {
  const rows = Object.entries(facts).map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>\n`);
  return rows.length > 0 ? `<dl>\n${rows.join('')}</dl>\n` : '';
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, between tags and in quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter]!);
