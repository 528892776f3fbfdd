import { hrefOf, idOf, schemaAnchor } from './anchors.ts';
import type { Schema } from '../openapi/described.ts';
import { escape } from './escape.ts';
import { prose } from './prose.ts';
import { propertyTables, type Direction } from './schema-table.ts';
import { typeOf } from './schema-type.ts';

export function schemaSection(name: string, schema: Schema, direction: Direction): string {
  const anchor = schemaAnchor(name);
  return `<article id="${idOf(anchor)}" class="schema">
<h3><a class="self" href="${hrefOf(anchor)}">${escape(name)}</a></h3>
${prose(schema.description)}
${propertyTables('Properties', schema, direction) || `<p class="content">${typeOf(schema)}</p>`}
</article>`;
}
