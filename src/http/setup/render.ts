import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { escapeHtml } from '../server/html-page.ts';
import type { Branding } from './branding.ts';
import { type Language, fill, languageList, languageNames, languages } from './languages/languages.ts';
import type { MessageKey } from './languages/en.ts';
import { script } from './script.ts';
import { styleOf } from './style.ts';

/** Functions and values that all parts of a page use. */
export interface View {
  language: Language;
  /** Escaped text in the language of the page. */
  say(key: MessageKey, values?: Record<string, string>): string;
  /** The address of a page of the link, in the chosen language. */
  href(path?: string): string;
  /** The same, not escaped. */
  address(path?: string): string;
  /** The path of the service's own address, without a slash at its end. */
  prefix: string;
  branding: Branding;
}

interface ViewOptions {
  language: Language;
  chosen: Language | undefined;
  prefix: string;
  /** The address of the link's first page. */
  root: string;
  branding: Branding;
}

export function createView({ language, chosen, prefix, root, branding }: ViewOptions): View {
  const address = (path = '') => `${root}${path}${chosen === undefined ? '' : `?lang=${chosen}`}`;
  return {
    language,
    say: (key, values) => escapeHtml(fill(languages[language][key], values)),
    href: (path) => escapeHtml(address(path)),
    address,
    prefix,
    branding,
  };
}

export interface Page {
  title: string;
  /** HTML. */
  main: string;
  /** The address that shows the same page in another language, if there is one. */
  path?: string | undefined;
  /** When a browser without JavaScript loads the page again. */
  refreshSeconds?: number | undefined;
  /** HTML beside the languages. */
  foot?: string;
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const scriptHash = hashOf(script);

/** Sends a page that loads no other file. */
export function sendSetupPage(ctx: Context, view: View, { title, main, path, refreshSeconds, foot = '' }: Page): void {
  const { branding, language } = view;
  const style = styleOf(branding);
  ctx.set(
    'Content-Security-Policy',
    [
      "default-src 'none'",
      `script-src ${scriptHash}`,
      `style-src ${hashOf(style)}`,
      'img-src data:',
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  );
  ctx.vary('Accept-Language');
  ctx.set('Content-Language', language);
  ctx.type = 'html';
  const { name, logo } = branding;
  ctx.body = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}${name === undefined ? '' : ` · ${escapeHtml(name)}`}</title>
<style>${style}</style>
${refreshSeconds ? `<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>\n` : ''}</head>
<body>
<header>${logo === undefined ? '' : `<img src="${escapeHtml(logo)}" alt="">`}${name === undefined ? '' : `<span>${escapeHtml(name)}</span>`}</header>
<main>
${main}
</main>
<footer>${foot === '' ? '' : `<span>${foot}</span>`}${path === undefined ? '' : languageLinks(view, path)}</footer>
<script>${script}</script>
</body>
</html>
`;
}

const languageLinks = ({ language, say }: View, path: string) =>
  `<nav aria-label="${say('language')}">${languageList
    .map(
      (one) =>
        `<a href="${escapeHtml(path)}?lang=${one}" lang="${one}"${one === language ? ' aria-current="true"' : ''}>${languageNames[one]}</a>`,
    )
    .join('')}</nav>`;

/** Escaped text in which `**label**` is bold, a word on another screen, and what is between backticks is a name to type or to find. */
export const renderText = (text: string): string =>
  escapeHtml(text)
    .replaceAll(/\*\*(.+?)\*\*/g, '<b translate="no">$1</b>')
    .replaceAll(/`(.+?)`/g, '<code translate="no">$1</code>');

/** A time for people, in UTC. */
export const formatTime = (at: Date, language: Language): string =>
  `${at.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
