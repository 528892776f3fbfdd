import { hasColor, widthOf, type Shell } from '../shell.ts';
import { cleanJson, cleanLines, cleanText, fitText, padText, textWidth } from './terminal-text.ts';

export type Printer = ReturnType<typeof createPrinter>;

/** Data goes to standard output, everything else to standard error. Control characters in data are replaced. */
export function createPrinter(shell: Shell) {
  const { env, stdout, stderr } = shell;
  const paint = (stream: NodeJS.WriteStream, code: number) => (text: string) =>
    hasColor(env, stream) ? `\u001b[${code}m${text}\u001b[0m` : text;
  const write = (text: string) => void stdout.write(`${text}\n`);
  return {
    red: paint(stdout, 31),
    green: paint(stdout, 32),
    yellow: paint(stdout, 33),
    line: (text = '') => write(cleanLines(text)),
    /** For text with our own colors, whose parts are already clean. */
    painted: write,
    json: (value: unknown) => write(cleanJson(JSON.stringify(value, undefined, 2))),
    jsonLine: (value: unknown) => write(cleanJson(JSON.stringify(value))),
    /** With `wide`, all columns, and nothing is cut. */
    table<Row>(columns: Column<Row>[], rows: Row[], { wide = false }: { wide?: boolean | undefined } = {}) {
      const shown = wide ? columns : columns.filter(({ wideOnly }) => !wideOnly);
      const width = wide ? Infinity : widthOf(shell);
      for (const line of renderTable(shown, rows, { width, emphasize: paint(stdout, 1) })) write(line);
    },
    fields(fields: Parameters<typeof renderFields>[0]) {
      for (const line of renderFields(fields, widthOf(shell))) write(line);
    },
    note: (text: string) => void stderr.write(`${cleanLines(text)}\n`),
  };
}

export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | null | undefined;
  /** The column may be cut on a narrow terminal. IDs are never cut, because people copy them. */
  mayShrink?: boolean;
  /** Shown with `--wide` only. */
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
