import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface FencedBlock {
  page: string;
  /** The heading that it stands under, without its marks. */
  heading: string;
  language: string;
  text: string;
}

/** The fenced blocks of a page, in their order; one within a list loses the list's indentation. */
export function readBlocks(page: string): FencedBlock[] {
  let heading = '';
  return [...readPage(page).matchAll(/^#+ (.+)$|^( *)```(\w*)\n([^]*?)^ *```$/gm)].flatMap(([, title, indent, language, text]) => {
    // Within a block, a line that begins with # is a part of the block's own match.
    if (title !== undefined) heading = title;
    if (text === undefined) return [];
    const lines = text.split('\n').map((line) => line.slice(line.startsWith(indent!) ? indent!.length : 0));
    return [{ page, heading, language: language!, text: lines.join('\n') }];
  });
}

export const readPage = (page: string) => readFileSync(join(root, page), 'utf8');

export const providerPages = readdirSync(join(root, 'docs/guides/providers'))
  .filter((name) => name !== 'README.md')
  .map((name) => `docs/guides/providers/${name}`);
