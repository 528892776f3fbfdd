import { type Parameter, type Schema, choicesOf, descriptionOf, givenExampleOf, variantsOf } from '../openapi/described-document.ts';
import { escapeHtml } from '../server/html-page.ts';
import { canonicalOf } from '../operation.ts';
import { inline, schemaLink } from './prose.ts';

interface Row {
  name: string;
  depth: number;
  note: string;
  aliases?: string[];
  schema: Schema | undefined;
  description: string | undefined;
  example: unknown;
}

const deepest = 5;

/** In a request, a property may be required; in a response, it may be missing. */
export type Direction = 'request' | 'response';

/** The properties of an object, with those of nested objects indented below. Empty if it has none. */
export function propertyTables(caption: string, schema: Schema, direction: Direction): string {
  const variants = variantsOf(schema);
  if (variants.length > 0)
    return `<p>One of these ${variants.length}:</p>\n${variants.map((variant) => table(caption, rowsOf(variant, direction, 0))).join('\n<p>or</p>\n')}`;
  const inside = insideOf(schema);
  return inside ? table(caption, rowsOf(inside, direction, 0)) : '';
}

export const parameterTable = (parameters: Parameter[]): string =>
  table(
    'Parameters',
    withoutAliases(parameters).map(({ name, in: place, required, description, schema, example, aliases }) => ({
      name,
      depth: 0,
      note: [place, required ? 'required' : ''].filter(Boolean).join(', '),
      aliases,
      schema,
      description: description ?? descriptionOf(schema),
      example: example ?? givenExampleOf(schema),
    })),
  );

/** The description of an alias says so. It is shown in the row of its parameter. */
function withoutAliases(parameters: Parameter[]): (Parameter & { aliases: string[] })[] {
  const isShown = (parameter: Parameter) => {
    const canonical = canonicalOf(parameter.description);
    return canonical === undefined || !parameters.some(({ name }) => name === canonical);
  };
  return parameters.filter(isShown).map((parameter) => ({
    ...parameter,
    aliases: parameters.filter((one) => !isShown(one) && canonicalOf(one.description) === parameter.name).map(({ name }) => name),
  }));
}

function rowsOf({ properties = {}, required = [] }: Schema, direction: Direction, depth: number): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inside = depth < deepest ? insideOf(schema) : undefined;
    return [
      {
        name,
        depth,
        note: noteOf(direction, required.includes(name)),
        schema,
        description: descriptionOf(schema),
        example: givenExampleOf(schema),
      },
      ...(inside ? rowsOf(inside, direction, depth + 1) : []),
    ];
  });
}

function noteOf(direction: Direction, isNeeded: boolean): string {
  if (direction === 'request') return isNeeded ? 'required' : '';
  return isNeeded ? '' : 'may be missing';
}

const table = (caption: string, rows: Row[]): string => `<table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th><th scope="col">Example</th></tr></thead>
<tbody>
${rows.map(renderRow).join('\n')}
</tbody>
</table>`;

function renderRow({ name, depth, note, aliases = [], schema, description, example }: Row): string {
  const isNeeded = note.includes('required');
  const usual = schema?.default === undefined ? '' : ` <span class="usual">Default: ${codeOf(schema.default)}.</span>`;
  const also = aliases.length === 0 ? '' : ` <span class="usual">Alias: ${aliases.map(codeOf).join(', ')}.</span>`;
  return `<tr class="depth-${depth}">
<th scope="row"><code>${escapeHtml(name)}</code>${note ? ` <span class="${isNeeded ? 'note needed' : 'note'}">${escapeHtml(note)}</span>` : ''}</th>
<td class="type">${typeOf(schema)}</td>
<td>${inline(description)}${usual}${also}</td>
<td class="example">${example === undefined ? '' : codeOf(example)}</td>
</tr>`;
}

const codeOf = (value: unknown) => `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;

export const nameOfRef = (ref: string): string => ref.split('/').at(-1)!;

/** The type of a schema in words, with links to named schemas. */
export function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'anything';
  if (schema.$ref) return schemaLink(nameOfRef(schema.$ref));
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(' <span class="or">or</span> ');
  const choices = choicesOf(schema);
  if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(' <span class="or">or</span> ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' with ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' <span class="or">or</span> ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`;
  if (schema.type === undefined) return schema.properties ? 'object' : 'anything';
  return escapeHtml([schema.type, ...limitsOf(schema)].join(', '));
}

const code = (value: unknown) => `<code>${escapeHtml(JSON.stringify(value))}</code>`;

/** The constraints of a string or number. */
function limitsOf({ format, minimum, maximum, minLength, maxLength }: Schema): string[] {
  return [
    format ?? '',
    rangeOf(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum),
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    minLength === undefined ? '' : minLength === 1 ? 'not empty' : `at least ${minLength} characters`,
  ].filter(Boolean);
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string {
  const least = minimum === -Number.MAX_SAFE_INTEGER ? undefined : minimum;
  if (least !== undefined && maximum !== undefined) return `${least} to ${maximum}`;
  if (least !== undefined) return `at least ${least}`;
  return maximum === undefined ? '' : `at most ${maximum}`;
}

/** The object whose properties get rows of their own: one without a name, including in a list or beside null. */
export function insideOf(schema: Schema | undefined): Schema | undefined {
  if (!schema || schema.$ref) return undefined;
  if (schema.properties && Object.keys(schema.properties).length > 0) return schema;
  if (schema.items) return insideOf(schema.items);
  const choices = choicesOf(schema);
  return choices.length <= 2 ? choices.map(insideOf).find(Boolean) : undefined;
}
