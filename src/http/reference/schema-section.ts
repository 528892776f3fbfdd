import { schemaAnchor } from './anchors.ts';
import { collapsibleArticle } from './collapsible.ts';
import type { Schema } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import { prose } from './prose.ts';
import { propertyTables, type Direction } from './schema-table.ts';
import { typeOf } from './schema-type.ts';

export const schemaSection = (name: string, schema: Schema, direction: Direction): string =>
  collapsibleArticle({
    anchor: schemaAnchor(name),
    className: 'schema',
    title: escape(name),
    body: `${prose(schema.description)}
${propertyTables('Properties', schema, direction) || `<p class="content">${typeOf(schema)}</p>`}`,
  });
