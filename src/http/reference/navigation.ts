import type { DescribedDocument, ListedOperation, Operation } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import { hrefOf, schemaAnchor } from './prose.ts';
import type { TagName } from '../operation.ts';
import { nameOfRef } from './schema-table.ts';

/** Links to all sections, by tag. */
export function navigation(groups: [string, ListedOperation[]][], webhooks: Operation[], schemas: string[]): string {
  const ofOperations = groups.map(([tag, operations]) =>
    group(
      tag,
      operations.map(({ operationId, method, summary = '', path }) => ({
        anchor: operationId,
        words: `${operationId} ${method} ${path}`,
        html: `<span class="method ${escape(method.toLowerCase())}">${escape(method)}</span> <span>${escape(summary || operationId)}</span>`,
      })),
    ),
  );
  const ofWebhooks = group(
    'Webhooks',
    webhooks.map(({ operationId, summary = '' }) => ({
      anchor: operationId,
      words: operationId,
      html: `<span class="method post">POST</span> <span>${escape(summary || operationId)}</span>`,
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
<button type="button" class="expand" hidden>Expand all</button>
<p class="nothing" role="status" hidden>Nothing matches.</p>
${[...ofOperations, ...(webhooks.length > 0 ? [ofWebhooks] : []), ofSchemas].join('\n')}
</details>
</nav>`;
}

interface Entry {
  anchor: string;
  /** More words that the filter finds it by. */
  words: string;
  html: string;
}

const group = (title: string, entries: Entry[]): string => `<details class="group">
<summary>${escape(title)} <span class="count">${entries.length}</span></summary>
<ul>
${entries.map(({ anchor, words, html }) => `<li data-words="${escape(words)}"><a href="${hrefOf(anchor)}">${html}</a></li>`).join('\n')}
</ul>
</details>`;

/** The names of the schemas that request bodies use. */
export function listRequestSchemas({ components }: DescribedDocument, operations: ListedOperation[]): Set<string> {
  const found = new Set<string>();
  const visit = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    if ('$ref' in part && typeof part.$ref === 'string') {
      const name = nameOfRef(part.$ref);
      if (found.has(name)) return;
      found.add(name);
      visit(components?.schemas?.[name]);
    }
    Object.values(part).forEach(visit);
  };
  for (const { requestBody } of operations) visit(requestBody);
  return found;
}

/** The pages of the repository's documentation about a tag, and about webhooks. */
export const guides: Record<TagName | 'Webhooks', string[]> = {
  Directories: ['docs/start/quickstart.md', 'docs/guides/providers/README.md'],
  Users: ['docs/guides/users-table.md'],
  Groups: ['docs/guides/users-table.md'],
  Events: ['docs/guides/receiving-events.md', 'docs/reference/events.md'],
  Deliveries: ['docs/guides/receiving-events.md', 'docs/operate/troubleshoot.md'],
  Replays: ['docs/guides/users-table.md'],
  'Webhook events': ['docs/start/migrating-from-polis.md'],
  Syncs: ['docs/guides/google.md'],
  Google: ['docs/guides/google.md'],
  Stats: ['docs/operate/monitor.md'],
  Limits: ['docs/operate/rate-limits.md'],
  Health: ['docs/operate/monitor.md'],
  Docs: ['docs/reference/api.md', 'docs/reference/client.md'],
  SCIM: ['docs/reference/scim.md', 'docs/guides/providers/README.md'],
  Webhooks: ['docs/guides/verifying-webhooks.md', 'docs/reference/events.md'],
};
