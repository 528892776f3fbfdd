import type pg from 'pg';
import { copyIn, copyOut } from '../../src/store/backup/copy.ts';

/** A row in the text format of COPY. */
export interface ModelRow {
  table: string;
  cells: Record<string, string>;
}

export const nullCell = '\\N';

/** Reads one row. Identity columns are omitted, so that copies get their own values. */
export async function readModel(client: pg.Client, table: string, condition: string): Promise<ModelRow> {
  const { rows } = await client.query<{ attname: string }>(
    `select attname from pg_attribute where attrelid = cast($1 as regclass) and attnum > 0 and not attisdropped and attidentity = '' order by attnum`,
    [table],
  );
  const columns = rows.map(({ attname }) => attname);
  let text = '';
  for await (const chunk of copyOut(client, `copy (select ${columns.join(', ')} from ${table} where ${condition} limit 1) to stdout`))
    text += chunk.toString();
  if (text === '') throw new Error(`No row of ${table} is a model.`);
  const cells = text.slice(0, -1).split('\t');
  return { table, cells: Object.fromEntries(columns.map((column, index) => [column, cells[index]!])) };
}

export type Values = Record<string, string | number>;

const mark = '\u0001';

/**
 * Creates a row from a model. `texts` are parts of cells that vary, with the names of their values; `columns` are whole cells whose value has
 * the name of the column.
 */
export function createTemplate(model: ModelRow, { texts, columns }: { texts: Record<string, string>; columns: string[] }) {
  const cells = Object.entries(model.cells).map(([column, cell]) =>
    columns.includes(column)
      ? `${mark}${column}${mark}`
      : Object.entries(texts).reduce((text, [part, name]) => text.replaceAll(part, `${mark}${name}${mark}`), cell),
  );
  const parts = `${cells.join('\t')}\n`.split(mark);
  return (values: Values): string => {
    let row = '';
    for (let index = 0; index < parts.length; index += 1) row += index % 2 === 0 ? parts[index]! : values[parts[index]!]!;
    return row;
  };
}

const chunkLength = 262_144;

/** Copies rows into the table of the model. */
export async function copyRows(client: pg.Client, { table, cells }: ModelRow, rows: Iterable<string>): Promise<number> {
  return copyIn(client, `copy ${table} (${Object.keys(cells).join(', ')}) from stdin`, toChunks(rows));
}

async function* toChunks(rows: Iterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for (const row of rows) {
    text += row;
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
  await Promise.resolve();
}
