import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { consoleFolder } from '../../paths.ts';

interface Tokens {
  /** CSS that defines all tokens, light and dark as the browser is set. */
  css: string;
  /** The value of a token where it is light. */
  valueOf(name: string): string;
}

let read: Tokens | undefined;

/** The colors and sizes of the console, for pages that are complete without its files. They are read when the first page is sent. */
export const readTokens = (): Tokens => (read ??= parseTokens(readFileSync(join(consoleFolder(), 'tokens.css'), 'utf8')));

/** Without the block for the switch of the console, which comes last. */
function parseTokens(file: string): Tokens {
  const text = file.replaceAll(/\/\*.*?\*\//gs, '');
  const css = text.slice(0, text.indexOf(`:root[data-theme='dark']`)).replaceAll(/\s+/g, ' ').trim();
  return { css, valueOf: (name) => new RegExp(`--${name}: ([^;]+);`).exec(css)![1]! };
}
