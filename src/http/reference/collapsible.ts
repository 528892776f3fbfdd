import { hrefOf, idOf, prose } from './prose.ts';

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

/** The title and the body are HTML. The guides are paths in the repository. */
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
${guides.length > 0 ? `<p class="guides">More in the repository: ${guides.map((path) => `<code>${path}</code>`).join(', ')}.</p>` : ''}
${body}
</details>
</section>`;
