import type { Answer, Schema } from '../openapi/described.ts';
import { escape } from './escape.ts';
import { inline } from './prose.ts';
import { propertyTables } from './schema-table.ts';
import { insideOf, typeOf } from './schema-type.ts';

/** What is answered when all is well, each with its form, and then the refusals in one table. */
export function answersSection(answers: Record<string, Answer>): string {
  const all = Object.entries(answers);
  const refusals = all.filter(([status]) => Number(status) >= 400);
  return `<h4>Answers</h4>
${all
  .filter((answer) => !refusals.includes(answer))
  .map(renderAnswer)
  .join('\n')}
${refusals.length === 0 ? '' : refusalTable(refusals)}`;
}

function renderAnswer([status, { description, headers, content = {} }]: [string, Answer]): string {
  return `<div class="answer">
<p>${statusOf(status)} ${inline(description)}${headersOf(headers)}</p>
${Object.entries(content)
  .map(([type, { schema }]) => renderContent(type, schema))
  .join('\n')}
</div>`;
}

function renderContent(type: string, schema: Schema | undefined): string {
  const inside = insideOf(schema);
  if (inside && isFlat(inside)) return `<p class="content"><code>${escape(type)}</code>: ${inOneLine(inside)}</p>`;
  const tables = schema ? propertyTables('Answer', schema, 'answered') : '';
  return `<p class="content"><code>${escape(type)}</code>${tables ? '' : `: ${typeOf(schema)}`}</p>
${tables}`;
}

/** Mostly the envelope around something that has a name. */
const isFlat = ({ properties = {} }: Schema) =>
  Object.values(properties).length <= 3 && Object.values(properties).every((property) => !insideOf(property) && !property.description);

const inOneLine = ({ properties = {} }: Schema) =>
  `{ ${Object.entries(properties)
    .map(([name, schema]) => `<code>${escape(name)}</code>: ${typeOf(schema)}`)
    .join(', ')} }`;

const refusalTable = (refusals: [string, Answer][]): string => `<table class="refusals">
<caption>Refusals</caption>
<thead><tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">Form</th></tr></thead>
<tbody>
${refusals.map(renderRefusal).join('\n')}
</tbody>
</table>`;

function renderRefusal([status, { description, headers, content = {} }]: [string, Answer]): string {
  const forms = [...new Set(Object.values(content).map(({ schema }) => typeOf(schema)))];
  return `<tr>
<th scope="row">${statusOf(status)}</th>
<td>${inline(description)}${headersOf(headers)}</td>
<td>${forms.join(' <span class="or">or</span> ')}</td>
</tr>`;
}

const statusOf = (status: string) => `<span class="status status-${escape(status.charAt(0))}">${escape(status)}</span>`;

function headersOf(headers: Answer['headers']): string {
  const names = Object.keys(headers ?? {});
  return names.length === 0 ? '' : ` <span class="usual">With ${names.map((name) => `<code>${escape(name)}</code>`).join(', ')}.</span>`;
}
