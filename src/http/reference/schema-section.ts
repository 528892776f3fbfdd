import { hrefOf, idOf, schemaAnchor } from './anchors.ts';
import type { Schema } from './described.ts';
import { escape } from './escape.ts';
import { prose } from './prose.ts';
import { propertyTable } from './schema-table.ts';
import { insideOf, typeOf } from './schema-type.ts';

export function schemaSection([name, schema]: [string, Schema]): string {
  const anchor = schemaAnchor(name);
  const inside = insideOf(schema);
  return `<article id="${idOf(anchor)}" class="schema">
<h3><a class="self" href="${hrefOf(anchor)}">${escape(name)}</a></h3>
${prose(schema.description)}
${inside ? propertyTable('Properties', inside) : `<p class="content">${typeOf(schema)}</p>`}
</article>`;
}
