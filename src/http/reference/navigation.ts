import type { DescribedDocument, ListedOperation, Operation } from '../openapi/described-document.ts';
import { escapeHtml } from '../server/html-page.ts';
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
        html: `<span class="method ${escapeHtml(method.toLowerCase())}">${escapeHtml(method)}</span> <span>${escapeHtml(summary || operationId)}</span>`,
      })),
    ),
  );
  const ofWebhooks = group(
    'Webhooks',
    webhooks.map(({ operationId, summary = '' }) => ({
      anchor: operationId,
      words: operationId,
      html: `<span class="method post">POST</span> <span>${escapeHtml(summary || operationId)}</span>`,
    })),
  );
  const ofSchemas = group(
    'Schemas',
    schemas.map((name) => ({ anchor: schemaAnchor(name), words: '', html: escapeHtml(name) })),
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
<summary>${escapeHtml(title)} <span class="count">${entries.length}</span></summary>
<ul>
${entries.map(({ anchor, words, html }) => `<li data-words="${escapeHtml(words)}"><a href="${hrefOf(anchor)}">${html}</a></li>`).join('\n')}
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

/** The pages below `docs/` about a tag, and about webhooks. They are served at `/docs/…`. */
export const guides: Record<TagName | 'Webhooks', string[]> = {
  Directories: ['start/quickstart', 'guides/providers'],
  'OAuth clients': ['reference/scim'],
  Users: ['guides/users-table'],
  Groups: ['guides/users-table'],
  Attributes: ['guides/attributes'],
  Roles: ['guides/roles'],
  Events: ['guides/receiving-events', 'reference/events'],
  Deliveries: ['guides/receiving-events', 'operate/troubleshoot'],
  Replays: ['guides/users-table'],
  'API keys': ['operate/access'],
  Sessions: ['operate/access'],
  'Webhook events': ['start/migrate-from-polis'],
  Files: ['guides/csv'],
  Syncs: ['guides/google', 'guides/entra', 'guides/csv'],
  Google: ['guides/google'],
  Entra: ['guides/entra'],
  'Setup links': ['guides/setup-links'],
  'Audit log': ['operate/audit-log'],
  Stats: ['operate/monitor'],
  Limits: ['operate/rate-limits'],
  Health: ['operate/monitor'],
  Docs: ['reference/api', 'reference/client'],
  SCIM: ['reference/scim', 'guides/providers'],
  Webhooks: ['guides/verifying-webhooks', 'reference/events'],
};
