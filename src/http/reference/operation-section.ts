import {
  type Body,
  type DescribedDocument,
  type ListedOperation,
  type Operation,
  type Response,
  type Schema,
  type SecurityRequirement,
  followRef,
} from '../openapi/described-document.ts';
import { escapeHtml } from '../server/html-page.ts';
import { collapsibleArticle, collapsibleSection, hrefOf, inline, prose, schemaAnchor, securityAnchor } from './prose.ts';
import { toSampleRequest } from './sample-request.ts';
import { codeBlock, samples } from './samples.ts';
import { type Direction, insideOf, parameterTable, propertyTables, typeOf } from './schema-table.ts';
import { guides } from './navigation.ts';

export function operationSection(document: DescribedDocument, operation: ListedOperation): string {
  const { operationId, method, path, summary, description, security = [], parameters, requestBody, responses } = operation;
  return collapsibleArticle({
    anchor: operationId,
    className: 'operation',
    title: inline(summary ?? operationId),
    below: `<span class="address"><span class="method ${escapeHtml(method.toLowerCase())}">${escapeHtml(method)}</span> <code>${breakable(path)}</code></span>`,
    body: `<p class="operation-id"><code>${escapeHtml(operationId)}</code></p>
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
  const links = [...new Set(names)].map((name) => `<a href="${hrefOf(securityAnchor(name))}">${escapeHtml(name)}</a>`);
  const isAlsoOpen = security.some((requirement) => Object.keys(requirement).length === 0);
  const scopes = [...new Set(security.flatMap((requirement) => Object.values(requirement).flat()))];
  const withScope = scopes.length > 0 ? ` with the scope <code>${escapeHtml(scopes.join(', '))}</code>` : '';
  return `Requires ${links.join(' or ')}${withScope}${isAlsoOpen ? ', except from a trusted proxy' : ''}.`;
}

/** IDs with a dot are methods of the typed client. */
function inTheClient({ operationId, path, parameters, requestBody }: ListedOperation): string {
  if (!operationId.includes('.')) return '';
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const hasQuery = parameters.some((parameter) => parameter.in === 'query');
  const given = [...names, ...(requestBody ? ['body'] : hasQuery ? ['query'] : [])];
  return ` In the typed client: <code>client.${escapeHtml(operationId)}(${escapeHtml(given.join(', '))})</code>.`;
}

/** A long path may break after a slash. */
const breakable = (path: string) => escapeHtml(path).replaceAll('/', '/<wbr>');

/** The fields of a body are listed here, although its schema has a section of its own. */
function bodySection(document: DescribedDocument, { required, description, content }: Body, direction: Direction): string {
  const types = Object.keys(content).map((type) => `<code>${escapeHtml(type)}</code>`);
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
    title: escapeHtml(name),
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
  status === 'default' ? 'Anything else' : `<span class="status status-${escapeHtml(status.charAt(0))}">${escapeHtml(status)}</span>`;

/** Success comes first. */
const rankOf = (status: string) => ['2XX', '1XX', '3XX', '4XX', '5XX', 'default'].indexOf(status.replace(/^(\d)\d\d$/, '$1XX'));

/** The responses of success, each with its schema and an example, and then all errors in one table. */
function responsesSection(responses: Record<string, Response>): string {
  const all = Object.entries(responses);
  const errors = all.filter(([status]) => Number(status) >= 400);
  return `<h4>Responses</h4>
${all
  .filter((response) => !errors.includes(response))
  .map(renderResponse)
  .join('\n')}
${errors.length === 0 ? '' : errorTable(errors)}`;
}

function renderResponse([status, { description, headers, content = {} }]: [string, Response]): string {
  return `<div class="response">
<p>${statusBadge(status)} ${inline(description)}${headersOf(headers)}</p>
${Object.entries(content)
  .map(([type, { schema, example }]) => renderContent(type, schema) + renderExample(type, example))
  .join('\n')}
</div>`;
}

function renderContent(type: string, schema: Schema | undefined): string {
  const inside = insideOf(schema);
  if (inside && isFlat(inside)) return `<p class="content"><code>${escapeHtml(type)}</code>: ${inOneLine(inside)}</p>`;
  const tables = schema ? propertyTables('Response', schema, 'response') : '';
  return `<p class="content"><code>${escapeHtml(type)}</code>${tables ? '' : `: ${typeOf(schema)}`}</p>
${tables}`;
}

const renderExample = (type: string, example: unknown) =>
  example === undefined
    ? ''
    : `<details class="example-response" open>
<summary>Example response</summary>
${codeBlock(typeof example === 'string' ? example : JSON.stringify(example, null, 2))}
</details>`;

/** Usually the envelope around a named schema. */
const isFlat = ({ properties = {} }: Schema) =>
  Object.values(properties).length <= 3 && Object.values(properties).every((property) => !insideOf(property) && !property.description);

const inOneLine = ({ properties = {} }: Schema) =>
  `{ ${Object.entries(properties)
    .map(([name, schema]) => `<code>${escapeHtml(name)}</code>: ${typeOf(schema)}`)
    .join(', ')} }`;

const errorTable = (errors: [string, Response][]): string => `<table class="errors">
<caption>Errors</caption>
<thead><tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">Schema</th></tr></thead>
<tbody>
${errors.map(renderError).join('\n')}
</tbody>
</table>`;

function renderError([status, { description, headers, content = {} }]: [string, Response]): string {
  const forms = [...new Set(Object.values(content).map(({ schema }) => typeOf(schema)))];
  return `<tr>
<th scope="row">${statusBadge(status)}</th>
<td>${inline(description)}${headersOf(headers)}</td>
<td>${forms.join(' <span class="or">or</span> ')}</td>
</tr>`;
}

const statusBadge = (status: string) => `<span class="status status-${escapeHtml(status.charAt(0))}">${escapeHtml(status)}</span>`;

function headersOf(headers: Response['headers']): string {
  const names = Object.keys(headers ?? {});
  return names.length === 0
    ? ''
    : ` <span class="usual">Headers: ${names.map((name) => `<code>${escapeHtml(name)}</code>`).join(', ')}.</span>`;
}
