import type { Response, Schema } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import { inline } from './prose.ts';
import { codeBlock } from './samples.ts';
import { propertyTables } from './schema-table.ts';
import { insideOf, typeOf } from './schema-type.ts';

/** The responses of success, each with its schema and an example, and then all errors in one table. */
export function responsesSection(responses: Record<string, Response>): string {
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
<p>${statusOf(status)} ${inline(description)}${headersOf(headers)}</p>
${Object.entries(content)
  .map(([type, { schema, example }]) => renderContent(type, schema) + renderExample(type, example))
  .join('\n')}
</div>`;
}

function renderContent(type: string, schema: Schema | undefined): string {
  const inside = insideOf(schema);
  if (inside && isFlat(inside)) return `<p class="content"><code>${escape(type)}</code>: ${inOneLine(inside)}</p>`;
  const tables = schema ? propertyTables('Response', schema, 'response') : '';
  return `<p class="content"><code>${escape(type)}</code>${tables ? '' : `: ${typeOf(schema)}`}</p>
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
    .map(([name, schema]) => `<code>${escape(name)}</code>: ${typeOf(schema)}`)
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
<th scope="row">${statusOf(status)}</th>
<td>${inline(description)}${headersOf(headers)}</td>
<td>${forms.join(' <span class="or">or</span> ')}</td>
</tr>`;
}

const statusOf = (status: string) => `<span class="status status-${escape(status.charAt(0))}">${escape(status)}</span>`;

function headersOf(headers: Response['headers']): string {
  const names = Object.keys(headers ?? {});
  return names.length === 0
    ? ''
    : ` <span class="usual">Headers: ${names.map((name) => `<code>${escape(name)}</code>`).join(', ')}.</span>`;
}
