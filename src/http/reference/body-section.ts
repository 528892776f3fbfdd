import type { Body, DescribedDocument } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import { followRef } from '../openapi/follow-ref.ts';
import { prose } from './prose.ts';
import { propertyTables, type Direction } from './schema-table.ts';
import { typeOf } from './schema-type.ts';

/** The fields of a body are listed here, although its schema has a section of its own. */
export function bodySection(document: DescribedDocument, { required, description, content }: Body, direction: Direction): string {
  const types = Object.keys(content).map((type) => `<code>${escape(type)}</code>`);
  const schema = Object.values(content)[0]?.schema;
  const tables = schema ? propertyTables('Body', followRef(document, schema), direction) : '';
  return `<h4>Body</h4>
<p class="content">${types.join(' <span class="or">or</span> ')}${schema?.$ref || !tables ? `: ${typeOf(schema)}` : ''}${required ? '' : ' (optional)'}</p>
${prose(description)}
${tables}`;
}
