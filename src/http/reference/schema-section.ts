import { hrefOf, idOf, schemaAnchor } from './anchors.ts';
import type { Schema } from './described.ts';
import { escape } from './escape.ts';
import { prose } from './prose.ts';
import { propertyTable, type Direction } from './schema-table.ts';
import { insideOf, typeOf } from './schema-type.ts';

export function schemaSection(name: string, schema: Schema, direction: Direction): string {
  const anchor = schemaAnchor(name);
  const inside = insideOf(schema);
  return `<article id="${idOf(anchor)}" class="schema">
<h3><a class="self" href="${hrefOf(anchor)}">${escape(name)}</a></h3>
${prose(schema.description)}
${inside ? propertyTable('Properties', inside, direction) : `<p class="content">${typeOf(schema)}</p>`}
</article>`;
}
