import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/paths.ts';

export interface FencedBlock {
  page: string;
  /** The heading above it, without `#`. */
  heading: string;
  language: string;
  text: string;
}

/** The fenced blocks of a page, in order. A block in a list loses its indentation. */
export function readBlocks(page: string): FencedBlock[] {
  let heading = '';
  return [...readPage(page).matchAll(/^#+ (.+)$|^( *)```(\w*)\n([^]*?)^ *```$/gm)].flatMap(([, title, indent, language, text]) => {
    // A line in a block that begins with # is part of the block's match.
    if (title !== undefined) heading = title;
    if (text === undefined) return [];
    const lines = text.split('\n').map((line) => line.slice(line.startsWith(indent!) ? indent!.length : 0));
    return [{ page, heading, language: language!, text: lines.join('\n') }];
  });
}

export const readPage = (page: string) => readFileSync(join(packageRoot, page), 'utf8');

export const providerPages = readdirSync(join(packageRoot, 'docs/guides/providers'))
  .filter((name) => name !== 'README.md')
  .map((name) => `docs/guides/providers/${name}`);
