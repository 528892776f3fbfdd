import { escapeHtml } from '../server/html-page.ts';

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
    .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : format(escapeHtml(part))))
    .join('');

const format = (escaped: string) =>
  escaped
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^\]]+)\]\((https?:\/\/[^\s)]+|#[\w.-]+)\)/g, '<a href="$2">$1</a>');

export const schemaAnchor = (name: string): string => `schema-${name}`;
export const tagAnchor = (name: string): string => `tag-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

/** Makes an `id` attribute, which has no spaces and no quotes. */
export const idOf = (anchor: string): string => escapeHtml(anchor.replaceAll(/\s+/g, '-'));
export const hrefOf = (anchor: string): string => escapeHtml(`#${encodeURIComponent(anchor.replaceAll(/\s+/g, '-'))}`);

export const schemaLink = (name: string): string => `<a href="${hrefOf(schemaAnchor(name))}">${escapeHtml(name)}</a>`;

export const securityAnchor = (name: string): string => `security-${name}`;

/** The title, what the summary shows below it, and the body are HTML. */
interface CollapsibleArticle {
  anchor: string;
  className: string;
  title: string;
  below?: string;
  body: string;
}

/** An article that is closed at first. The script opens the one that the address names. */
export const collapsibleArticle = ({ anchor, className, title, below = '', body }: CollapsibleArticle): string =>
  `<article id="${idOf(anchor)}" class="${className}">
<details>
<summary><h3>${title}</h3> <a class="self" href="${hrefOf(anchor)}" aria-label="Link to this section">#</a>${below}</summary>
${body}
</details>
</article>`;

/** The title and the body are HTML. The guides are paths below `/docs/`. */
interface CollapsibleSection {
  anchor: string;
  title: string;
  description?: string | undefined;
  guides?: string[];
  body: string;
}

/** A section that is open at first. */
export const collapsibleSection = ({ anchor, title, description, guides = [], body }: CollapsibleSection): string => `<section>
<details open>
<summary><h2 id="${idOf(anchor)}">${title}</h2></summary>
${prose(description)}
${guides.length > 0 ? `<p class="guides">Guides: ${guides.map((path) => `<a href="/docs/${path}">${path}</a>`).join(', ')}.</p>` : ''}
${body}
</details>
</section>`;
