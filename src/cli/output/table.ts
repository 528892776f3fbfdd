import { cleanText, fitText, padText, textWidth } from './terminal-text.ts';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | null | undefined;
  /** The column may be cut on a narrow terminal. IDs are never cut, because people copy them. */
  mayShrink?: boolean;
  /** The column is shown only with `--wide`. */
  wideOnly?: boolean;
  alignRight?: boolean;
}

export interface TableOptions {
  width: number;
  /** Formats the header. */
  emphasize?: (text: string) => string;
}

const gap = 2;
const minWidthOf = ({ title }: { title: string }) => Math.max(8, textWidth(title));

/** Rows in columns. If the columns do not fit even when cut, each row becomes a block of `title value` lines. */
export function renderTable<Row>(columns: Column<Row>[], rows: Row[], { width, emphasize = (text) => text }: TableOptions): string[] {
  const cells = rows.map((row) => columns.map(({ value }) => cleanText(String(value(row) ?? ''))));
  const natural = columns.map(({ title }, at) => Math.max(textWidth(title), ...cells.map((row) => textWidth(row[at]!))));
  const widths = shrink(natural, columns, width);
  if (!widths) return renderRecords(columns, cells, width);
  const line = (texts: string[]) =>
    texts
      .map((text, at) => {
        const fitting = fitText(text, widths[at]!);
        return columns[at]!.alignRight ? ' '.repeat(widths[at]! - textWidth(fitting)) + fitting : padText(fitting, widths[at]!);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  return [emphasize(line(columns.map(({ title }) => title))), ...cells.map(line)];
}

/** Shortens the widest column that may be cut until the line fits; undefined if it cannot fit. */
function shrink<Row>(natural: number[], columns: Column<Row>[], width: number): number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, gap * (widths.length - 1)) - width;
  while (excess > 0) {
    const candidates = widths.flatMap((one, at) => (columns[at]!.mayShrink && one > minWidthOf(columns[at]!) ? [{ at, one }] : []));
    if (candidates.length === 0) return undefined;
    const widest = Math.max(...candidates.map(({ one }) => one));
    widths[candidates.find(({ one }) => one === widest)!.at]! -= 1;
    excess -= 1;
  }
  return widths;
}

function renderRecords<Row>(columns: Column<Row>[], cells: string[][], width: number): string[] {
  return cells.flatMap((row, index) => [
    ...(index > 0 ? [''] : []),
    ...renderFields(
      columns.map(({ title }, at) => [title, row[at]!]),
      width,
    ),
  ]);
}

/** One `label value` per line, without empty values. Nothing is cut, so that values can be copied. */
export function renderFields(fields: [label: string, value: string | number | null | undefined][], width: number): string[] {
  const shown = fields.flatMap(([label, value]) =>
    value === null || value === undefined || value === '' ? [] : [[label, String(value)] as const],
  );
  const labelWidth = Math.max(0, ...shown.map(([label]) => textWidth(label)));
  return shown.map(([label, value]) => {
    const text = cleanText(value);
    return labelWidth + gap + textWidth(text) > width && textWidth(text) <= width
      ? `${label}\n  ${text}`
      : `${padText(label, labelWidth)}${' '.repeat(gap)}${text}`;
  });
}
