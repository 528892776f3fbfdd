import { collapsibleSection } from './collapsible.ts';
import { firstCall } from './first-call.ts';
import { guides } from './guides.ts';
import { listRequestSchemas } from './list-request-schemas.ts';
import { idOf, securityAnchor, tagAnchor } from './anchors.ts';
import type { DescribedDocument, SecurityScheme } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import { listOperations, type ListedOperation } from './list-operations.ts';
import { navigation } from './navigation.ts';
import { operationSection } from './operation-section.ts';
import { prose } from './prose.ts';
import { schemaSection } from './schema-section.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { listWebhooks, webhookSections } from './webhook-section.ts';

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
<title>${escape(info.title)} API reference</title>
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
<h1>${escape(info.title)} <small>${escape(info.version)}</small></h1>
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

/** In the order of the document's tags. */
function groupByTag(document: DescribedDocument, operations: ListedOperation[]): [string, ListedOperation[]][] {
  const tags = new Set([...(document.tags ?? []).map(({ name }) => name), ...operations.map(({ tag }) => tag)]);
  return [...tags]
    .map((name): [string, ListedOperation[]] => [name, operations.filter(({ tag }) => tag === name)])
    .filter(([, members]) => members.length > 0);
}

const tagSection = (document: DescribedDocument, [name, operations]: [string, ListedOperation[]]): string =>
  collapsibleSection({
    anchor: tagAnchor(name),
    title: escape(name),
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
  .map(([name, { description }]) => `<article id="${idOf(securityAnchor(name))}"><h3>${escape(name)}</h3>\n${prose(description)}</article>`)
  .join('\n')}
</section>`;
}
