import { type DescribedDocument, type ListedOperation, type SecurityScheme, listOperations } from '../openapi/described-document.ts';
import { escapeHtml } from '../server/html-page.ts';
import { guides, listRequestSchemas, navigation } from './navigation.ts';
import { listWebhooks, operationSection, schemaSection, webhookSections } from './operation-section.ts';
import { collapsibleSection, idOf, prose, securityAnchor, tagAnchor } from './prose.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { toSampleRequest } from './sample-request.ts';
import { codeBlock, samples } from './samples.ts';
import { createHash } from 'node:crypto';

/** Renders the whole document as one page, which loads nothing else. */
export function renderReference(document: DescribedDocument): string {
  const { info, components = {} } = document;
  const [beginning, ...rest] = (info.description ?? '').split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  const operations = listOperations(document);
  const groups = groupByTag(document, operations);
  const webhooks = listWebhooks(document);
  const requestSchemas = listRequestSchemas(document, operations);
  const schemas = Object.entries(components.schemas ?? {});
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API reference</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="page">
${navigation(
  groups,
  webhooks,
  schemas.map(([name]) => name),
)}
<main id="content">
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
${prose(beginning)}
<p>OpenAPI document: <a href="/openapi.json">openapi.json</a>.</p>
${firstCall(document, operations)}
${rest.length > 0 ? `<section>\n<h2 id="conventions">Conventions</h2>\n${prose(rest.join('\n\n'))}\n</section>` : ''}
${securitySections(components.securitySchemes ?? {})}
${groups.map((group) => tagSection(document, group)).join('\n')}
${webhookSections(document, webhooks)}
${collapsibleSection({
  anchor: 'schemas',
  title: 'Schemas',
  body: schemas.map(([name, schema]) => schemaSection(name, schema, requestSchemas.has(name) ? 'request' : 'response')).join('\n'),
})}
</main>
</div>
<script>${script}</script>
</body>
</html>
`;
}

/** Keeps the order of the document's tags. */
function groupByTag(document: DescribedDocument, operations: ListedOperation[]): [string, ListedOperation[]][] {
  const tags = new Set([...(document.tags ?? []).map(({ name }) => name), ...operations.map(({ tag }) => tag)]);
  return [...tags]
    .map((name): [string, ListedOperation[]] => [name, operations.filter(({ tag }) => tag === name)])
    .filter(([, members]) => members.length > 0);
}

const tagSection = (document: DescribedDocument, [name, operations]: [string, ListedOperation[]]): string =>
  collapsibleSection({
    anchor: tagAnchor(name),
    title: escapeHtml(name),
    description: document.tags?.find((tag) => tag.name === name)?.description,
    guides: (guides as Record<string, string[]>)[name] ?? [],
    body: operations.map((operation) => operationSection(document, operation)).join('\n'),
  });

function securitySections(schemes: Record<string, SecurityScheme>): string {
  const named = Object.entries(schemes);
  if (named.length === 0) return '';
  return `<section>
<h2 id="credentials">Authentication</h2>
${named
  .map(
    ([name, { description }]) =>
      `<article id="${idOf(securityAnchor(name))}"><h3>${escapeHtml(name)}</h3>\n${prose(description)}</article>`,
  )
  .join('\n')}
</section>`;
}

/** The first step for a reader: all examples use the same two variables. */
function firstCall(document: DescribedDocument, operations: ListedOperation[]): string {
  const [server] = document.servers ?? [];
  if (!server) return '';
  const first = operations.find(({ operationId }) => operationId === 'directories.listAll');
  return `<section>
<h2 id="first-call">Your first request</h2>
<p>The address of this service is <code>${escapeHtml(server.url)}</code>. Set it in your shell, together with an API key: one of <code>API_KEYS</code>, or the content of <code>.rollcall/api-key</code>, which <code>npm start</code> creates.</p>
${codeBlock(`export ROLLCALL_URL=${server.url.replace(/\/+$/, '')}\nexport ROLLCALL_API_KEY=…`)}
${first ? `<p>Then list the directories. A new service returns an empty list.</p>\n${samples(toSampleRequest(document, first), 'the first request')}` : ''}
<p>The examples on this page use these two variables, and others that are named after parameters: <code>$DIRECTORY_ID</code> is the <code>id</code> of a directory, and <code>$SCIM_SECRET</code> its <code>scim.secret</code>. TypeScript uses <code>rollcall/client</code>, the typed client, and <code>fetch</code> for the operations that it does not have. Python uses the package <code>requests</code>.</p>
</section>`;
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Lets the page run its own style and script, and nothing else at all. */
export const referenceContentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
