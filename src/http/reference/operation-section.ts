import { collapsibleArticle, collapsibleSection } from './collapsible.ts';
import { responsesSection } from './responses-section.ts';
import type { Body, DescribedDocument, Operation, Response, Schema, SecurityRequirement } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import type { ListedOperation } from './list-operations.ts';
import { hrefOf, inline, prose, schemaAnchor, securityAnchor } from './prose.ts';
import { toSampleRequest } from './sample-request.ts';
import { samples } from './samples.ts';
import { type Direction, parameterTable, propertyTables } from './schema-table.ts';
import { followRef } from '../openapi/follow-ref.ts';
import { typeOf } from './schema-type.ts';
import { guides } from './navigation.ts';

export function operationSection(document: DescribedDocument, operation: ListedOperation): string {
  const { operationId, method, path, summary, description, security = [], parameters, requestBody, responses } = operation;
  return collapsibleArticle({
    anchor: operationId,
    className: 'operation',
    title: inline(summary ?? operationId),
    below: `<span class="address"><span class="method ${escape(method.toLowerCase())}">${escape(method)}</span> <code>${breakable(path)}</code></span>`,
    body: `<p class="operation-id"><code>${escape(operationId)}</code></p>
${prose(description)}
<p class="who">${whoMayCall(security)}${inTheClient(operation)}</p>
${samples(toSampleRequest(document, operation))}
${parameters.length > 0 ? `<h4>Parameters</h4>\n${parameterTable(parameters)}` : ''}
${requestBody ? bodySection(document, requestBody, 'request') : ''}
${responsesSection(responses)}`,
  });
}

function whoMayCall(security: SecurityRequirement[]): string {
  const names = security.flatMap((requirement) => Object.keys(requirement));
  if (names.length === 0) return 'No authentication.';
  const links = [...new Set(names)].map((name) => `<a href="${hrefOf(securityAnchor(name))}">${escape(name)}</a>`);
  const isAlsoOpen = security.some((requirement) => Object.keys(requirement).length === 0);
  return `Requires ${links.join(' or ')}${isAlsoOpen ? ', except from a trusted proxy' : ''}.`;
}

/** Ids with a dot are methods of the typed client. */
function inTheClient({ operationId, path, parameters, requestBody }: ListedOperation): string {
  if (!operationId.includes('.')) return '';
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const hasQuery = parameters.some((parameter) => parameter.in === 'query');
  const given = [...names, ...(requestBody ? ['body'] : hasQuery ? ['query'] : [])];
  return ` In the typed client: <code>client.${escape(operationId)}(${escape(given.join(', '))})</code>.`;
}

/** A long path may break after a slash. */
const breakable = (path: string) => escape(path).replaceAll('/', '/<wbr>');

/** The fields of a body are listed here, although its schema has a section of its own. */
function bodySection(document: DescribedDocument, { required, description, content }: Body, direction: Direction): string {
  const types = Object.keys(content).map((type) => `<code>${escape(type)}</code>`);
  const schema = Object.values(content)[0]?.schema;
  const tables = schema ? propertyTables('Body', followRef(document, schema), direction) : '';
  return `<h4>Body</h4>
<p class="content">${types.join(' <span class="or">or</span> ')}${schema?.$ref || !tables ? `: ${typeOf(schema)}` : ''}${required ? '' : ' (optional)'}</p>
${prose(description)}
${tables}`;
}

export const schemaSection = (name: string, schema: Schema, direction: Direction): string =>
  collapsibleArticle({
    anchor: schemaAnchor(name),
    className: 'schema',
    title: escape(name),
    body: `${prose(schema.description)}
${propertyTables('Properties', schema, direction) || `<p class="content">${typeOf(schema)}</p>`}`,
  });

/** Every request that is sent to receivers. */
export const listWebhooks = ({ webhooks = {} }: DescribedDocument): Operation[] =>
  Object.values(webhooks).flatMap((item) => Object.values(item));

export const webhookSections = (document: DescribedDocument, webhooks: Operation[]): string =>
  webhooks.length === 0
    ? ''
    : collapsibleSection({
        anchor: 'webhooks',
        title: 'Webhooks',
        description: 'The requests that this service sends to your receiver.',
        guides: guides.Webhooks,
        body: webhooks.map((webhook) => webhookSection(document, webhook)).join('\n'),
      });

const webhookSection = (
  document: DescribedDocument,
  { operationId, summary, description, parameters = [], requestBody, responses }: Operation,
): string =>
  collapsibleArticle({
    anchor: operationId,
    className: 'operation',
    title: inline(summary ?? operationId),
    below: '<span class="address"><span class="method post">POST</span> your webhook address</span>',
    body: `${prose(description)}
${parameters.length > 0 ? `<h4>Headers</h4>\n${parameterTable(parameters.map((header) => ({ ...header, in: '' })))}` : ''}
${requestBody ? bodySection(document, requestBody, 'response') : ''}
<h4>Response of the receiver</h4>
${responseTable(Object.entries(responses).toSorted(([one], [other]) => rankOf(one) - rankOf(other)))}`,
  });

const responseTable = (responses: [string, Response][]): string => `<table class="meanings">
<caption>Response of the receiver</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${responses.map(([status, { description }]) => `<tr><th scope="row">${statusOf(status)}</th><td>${inline(description)}</td></tr>`).join('\n')}
</tbody>
</table>`;

const statusOf = (status: string) =>
  status === 'default' ? 'Anything else' : `<span class="status status-${escape(status.charAt(0))}">${escape(status)}</span>`;

/** Success comes first. */
const rankOf = (status: string) => ['2XX', '1XX', '3XX', '4XX', '5XX', 'default'].indexOf(status.replace(/^(\d)\d\d$/, '$1XX'));
