import type { OpenApiDocument } from '../openapi/document.ts';

/** The description as a page for people, complete in itself: it loads nothing. */
export function renderReference({ info, paths }: OpenApiDocument): string {
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary }]) => `<li><code>${method.toUpperCase()} ${escape(path)}</code> ${escape(summary)}</li>`),
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)}</title>
<h1>${escape(info.title)} ${escape(info.version)}</h1>
<ul>
${lines.join('\n')}
</ul>
</html>
`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (letter) => entities[letter]!);
