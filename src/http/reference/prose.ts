import { escape } from '../escape.ts';

/** Renders a description as paragraphs. Of Markdown, it supports code, emphasis and links. */
export const prose = (text = ''): string =>
  text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n');

/** Code is separated first: nothing in it is formatted. */
export const inline = (text = ''): string =>
  text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escape(part.slice(1, -1))}</code>` : format(escape(part))))
    .join('');

const format = (escaped: string) =>
  escaped
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^\]]+)\]\((https?:\/\/[^\s)]+|#[\w.-]+)\)/g, '<a href="$2">$1</a>');
