import { createHash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from '../../logger.ts';
import { respondToErrors, writeEnvelope } from './errors.ts';
import { readTokens } from './tokens.ts';

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

/** Its colors and sizes are those of the console. */
const rules = `
  @media (min-width: 120rem) { :root { font-size: var(--size-root-wide); } }
  @media (min-width: 150rem) { :root { font-size: var(--size-root-widest); } }
  * { box-sizing: border-box; }
  body { font: .9375rem/1.55 var(--sans); margin: 0; padding: 14vh 1rem 2rem; background: var(--page); color: var(--text); overflow-wrap: anywhere; }
  main { max-width: 26rem; margin: 0 auto; padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; }
  h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 .5rem; }
  p { margin: 0 0 .75rem; color: var(--soft); }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
  dt { color: var(--soft); }
  dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; unicode-bidi: isolate; }
  label { display: block; font-weight: 600; }
  input { display: block; width: 100%; margin: .35rem 0 1rem; padding: .5rem .6rem; border: 1px solid var(--line-strong); border-radius: .4rem; background: var(--surface); color: inherit; font: inherit; }
  a, button { display: block; width: 100%; padding: .5rem 1rem; border: 1px solid var(--line-strong); border-radius: .4rem; color: inherit; background: none; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
  button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  form { margin: 1rem 0; }
  main > :last-child { margin-bottom: 0; }
`;

let page: { style: string; hash: string } | undefined;
function readStyle() {
  if (page) return page;
  const style = `${readTokens().css}${rules}`;
  return (page = { style, hash: createHash('sha256').update(style).digest('base64') });
}

/** Sends a page without scripts or frames. All given text is escaped. */
export function sendPage(ctx: Context, { title, text, facts = {}, note, link, forms = [], continueTo }: Page): void {
  const { style, hash } = readStyle();
  const formAction = forms.length > 0 ? "'self'" : "'none'";
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${hash}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
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
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${renderFacts(facts)}${note === undefined ? '' : `<p>${escapeHtml(note)}</p>\n`}${forms.map(renderForm).join('')}${
    link === undefined ? '' : `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>\n`
  }</main>
</html>
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
