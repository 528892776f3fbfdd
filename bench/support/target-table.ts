import type { Machine } from './machine.ts';
import type { TargetResult } from './table.ts';

/** The targets of all benchmarks, as a table in a Markdown file. */
export interface TargetTable {
  /** Replaces the rows of these targets. Other rows of the benchmark stay, so that part of a benchmark can be measured again. */
  add(benchmark: string, run: TargetRun): void;
  toMarkdown(): string;
}

export interface TargetRun {
  machine: Pick<Machine, 'date' | 'commit' | 'loadBefore'>;
  options: string;
  /** Why the benchmark failed, instead of its targets. */
  result: TargetResult[] | string;
}

const header = ['Benchmark', 'What', 'Result', 'Target', 'Met', 'Date (UTC)', 'Commit', 'Load before', 'Options'];
const failed = 'the run';
const missed = '**no**';

/** Continues the table in the text, unless it is from another machine. Rows are in the order of the benchmarks. */
export function readTargetTable(text: string, { machine, benchmarks }: { machine: string; benchmarks: string[] }): TargetTable {
  const [first, ...lines] = text.split('\n').filter(Boolean);
  let rows = first === machine ? lines.slice(2).map(parseRow) : [];
  return {
    add(benchmark, { machine: { date, commit, loadBefore }, options, result }) {
      const about = [date.slice(0, 16).replace('T', ' '), commit, loadBefore.toFixed(1), options];
      const added =
        typeof result === 'string'
          ? [[benchmark, failed, result, '', missed, ...about]]
          : result.map(({ title, seen, target, met }) => [benchmark, title, seen, target, met ? 'yes' : missed, ...about]);
      const replaced = new Set([failed, ...added.map(([, what]) => what)]);
      rows = rows.filter(([name, what]) => name !== benchmark || !replaced.has(what));
      rows = [...rows, ...added].toSorted(([one], [other]) => benchmarks.indexOf(one!) - benchmarks.indexOf(other!));
    },
    toMarkdown: () => [machine, '', ...formatRows([header, ...rows])].join('\n'),
  };
}

const parseRow = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));

/** Formats a table as Prettier does. */
function formatRows(rows: string[][]): string[] {
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = header.map((_, column) => Math.max(...escaped.map((cells) => cells[column]!.length)));
  const format = (cells: string[], fill: string) => `| ${widths.map((width, column) => cells[column]!.padEnd(width, fill)).join(' | ')} |`;
  const [titles, ...others] = escaped.map((cells) => format(cells, ' '));
  const line = format(
    header.map(() => ''),
    '-',
  );
  return [titles!, line, ...others];
}
