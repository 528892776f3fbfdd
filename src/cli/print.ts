import { hasColor, widthOf, type Shell } from './shell.ts';
import { renderFields, renderTable, type Column } from './table.ts';
import { cleanJson, cleanLines } from './terminal-text.ts';

export type Printer = ReturnType<typeof createPrinter>;

/** Data goes to standard output, everything else to standard error. What is not a fixed text is cleaned on its way. */
export function createPrinter(shell: Shell) {
  const { env, stdout, stderr } = shell;
  const paint = (stream: NodeJS.WriteStream, code: number) => (text: string) =>
    hasColor(env, stream) ? `\u001b[${code}m${text}\u001b[0m` : text;
  const bold = paint(stdout, 1);
  const write = (text: string) => void stdout.write(`${text}\n`);
  return {
    width: widthOf(shell),
    bold,
    red: paint(stdout, 31),
    green: paint(stdout, 32),
    yellow: paint(stdout, 33),
    line: (text = '') => write(cleanLines(text)),
    /** Text whose colours are our own and whose parts are clean already. */
    painted: write,
    json: (value: unknown) => write(cleanJson(JSON.stringify(value, undefined, 2))),
    /** One document in one line. */
    jsonLine: (value: unknown) => write(cleanJson(JSON.stringify(value))),
    table<Row>(columns: Column<Row>[], rows: Row[]) {
      for (const line of renderTable(columns, rows, { width: widthOf(shell), emphasize: bold })) write(line);
    },
    fields(fields: Parameters<typeof renderFields>[0]) {
      for (const line of renderFields(fields, widthOf(shell))) write(line);
    },
    note: (text: string) => void stderr.write(`${cleanLines(text)}\n`),
  };
}
