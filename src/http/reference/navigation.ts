import { hrefOf, schemaAnchor } from './anchors.ts';
import type { Operation } from '../openapi/described.ts';
import { escape } from './escape.ts';
import type { ListedOperation } from './list-operations.ts';

/** All that can be gone to, by tag. */
export function navigation(groups: [string, ListedOperation[]][], webhooks: Operation[], schemas: string[]): string {
  const ofOperations = groups.map(([tag, operations]) =>
    group(
      tag,
      operations.map(({ operationId, method, summary = '', path }) => ({
        anchor: operationId,
        words: `${method} ${path} ${summary}`,
        html: `<span class="method ${escape(method.toLowerCase())}">${escape(method)}</span> ${breakable(operationId)}`,
      })),
    ),
  );
  const ofWebhooks = group(
    'Webhooks',
    webhooks.map(({ operationId, summary = '' }) => ({
      anchor: operationId,
      words: summary,
      html: `<span class="method post">POST</span> ${breakable(operationId)}`,
    })),
  );
  const ofSchemas = group(
    'Schemas',
    schemas.map((name) => ({ anchor: schemaAnchor(name), words: '', html: escape(name) })),
  );
  return `<nav aria-label="Contents">
<details class="contents" open>
<summary>Contents</summary>
<label class="filter" hidden>Filter <input type="search" placeholder="users, POST, secret …" autocomplete="off"></label>
<p class="nothing" role="status" hidden>Nothing has these words.</p>
${[...ofOperations, ...(webhooks.length > 0 ? [ofWebhooks] : []), ofSchemas].join('\n')}
</details>
</nav>`;
}

interface Entry {
  anchor: string;
  /** What the filter finds it by, beside what is shown. */
  words: string;
  html: string;
}

const group = (title: string, entries: Entry[]): string => `<details class="group">
<summary>${escape(title)} <span class="count">${entries.length}</span></summary>
<ul>
${entries.map(({ anchor, words, html }) => `<li data-words="${escape(words)}"><a href="${hrefOf(anchor)}">${html}</a></li>`).join('\n')}
</ul>
</details>`;

/** After the dot; a word stays whole as long as there is room for it. */
const breakable = (operationId: string) => `<span>${escape(operationId).replaceAll('.', '.<wbr>')}</span>`;
