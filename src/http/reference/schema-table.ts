import type { Parameter, Schema } from './described.ts';
import { escape } from './escape.ts';
import { inline } from './prose.ts';
import { insideOf, typeOf } from './schema-type.ts';

interface Row {
  name: string;
  depth: number;
  note: string;
  schema: Schema | undefined;
  description: string | undefined;
  example: unknown;
}

const deepest = 5;

/** The properties of an object, those of objects within it below and further in. */
export const propertyTable = (caption: string, schema: Schema): string => table(caption, rowsOf(schema, 0));

export const parameterTable = (parameters: Parameter[]): string =>
  table(
    'Parameters',
    parameters.map(({ name, in: place, required, description, schema, example }) => ({
      name,
      depth: 0,
      note: [place, required ? 'required' : ''].filter(Boolean).join(', '),
      schema,
      description: description ?? schema?.description,
      example: example ?? schema?.examples?.[0],
    })),
  );

function rowsOf({ properties = {}, required = [] }: Schema, depth: number): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inside = depth < deepest ? insideOf(schema) : undefined;
    return [
      {
        name,
        depth,
        note: required.includes(name) ? 'required' : '',
        schema,
        description: schema.description,
        example: schema.examples?.[0],
      },
      ...(inside ? rowsOf(inside, depth + 1) : []),
    ];
  });
}

const table = (caption: string, rows: Row[]): string => `<table>
<caption>${escape(caption)}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th><th scope="col">Example</th></tr></thead>
<tbody>
${rows.map(renderRow).join('\n')}
</tbody>
</table>`;

function renderRow({ name, depth, note, schema, description, example }: Row): string {
  const isNeeded = note.includes('required');
  const usual = schema?.default === undefined ? '' : ` <span class="usual">Otherwise ${codeOf(schema.default)}.</span>`;
  return `<tr class="depth-${depth}">
<th scope="row"><code>${escape(name)}</code>${note ? ` <span class="${isNeeded ? 'note needed' : 'note'}">${escape(note)}</span>` : ''}</th>
<td class="type">${typeOf(schema)}</td>
<td>${inline(description)}${usual}</td>
<td class="example">${example === undefined ? '' : codeOf(example)}</td>
</tr>`;
}

const codeOf = (value: unknown) => `<code>${escape(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
