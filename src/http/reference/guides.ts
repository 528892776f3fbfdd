import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { packageRoot } from '../../paths.ts';
import { escapeHtml } from '../server/html-page.ts';
import { style } from './style.ts';

const root = join(packageRoot, 'docs');

/** The Markdown files below `docs`, by their paths below `/docs`: `guides/providers/okta.md` is at `guides/providers-okta`. */
export async function listGuides(): Promise<Map<string, string>> {
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const files = names.map((name) => name.replaceAll('\\', '/')).filter((name) => name.endsWith('.md') && name.includes('/'));
  return new Map(files.map((file) => [pathOf(file), file]));
}

function pathOf(file: string): string {
  const [folder, ...names] = file.replace(/(\/README)?\.md$/, '').split('/');
  return `${folder}/${names.join('-')}`;
}

/** Renders a guide as a page that loads nothing else. Links to files that are not served, and images, become plain text. */
export async function renderGuide(file: string): Promise<string> {
  const guides = await listGuides();
  const marked = new Marked({
    renderer: {
      // Comments are for those who write the pages.
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text.replaceAll(/<!--[^]*?-->/g, '')),
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
      },
    },
  });
  const text = await readFile(join(root, file), 'utf8');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(/^# (.*)/.exec(text)?.[1] ?? file)}</title>
<style>${guideStyle}</style>
</head>
<body>
<main>
<p><a href="/docs">API reference</a></p>
${await marked.parse(text)}</main>
</body>
</html>
`;

  function addressOf(href: string): string | undefined {
    if (/^(https?:|#)/.test(href)) return href;
    const { pathname, hash } = new URL(href, `file:///${file}`);
    const path = pathOf(pathname.slice(1));
    return guides.has(path) ? `/docs/${path}${hash}` : undefined;
  }
}

/** As code hosts do it, so that the same links work there. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const guideStyle = `${style}
main { max-width: 56rem; margin: 0 auto; }
h1, h2, h3 { margin: 2rem 0 .5rem; }
li { margin: .25rem 0; max-width: 46rem; }
main table { table-layout: auto; }
main th { width: auto !important; }
`;

export const guideContentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(guideStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
