import { hasColor, widthOf, type Shell } from '../shell.ts';
import { renderFields, renderTable, type Column } from './table.ts';
import { cleanJson, cleanLines } from './terminal-text.ts';

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
