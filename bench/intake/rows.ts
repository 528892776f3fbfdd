import { alternate, compareEach, type AlternateOptions, type Summary } from '../support/alternate.ts';
import { createClient } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import type { BenchDirectory } from '../support/directories.ts';
import { type Source, createUserSource, createToggleSource } from '../support/load.ts';
import type { Operation, Options, Side } from '../support/options.ts';
import { sideNames, type RunningSide } from '../support/sides.ts';
import { median, formatMiddleHalf } from '../support/statistics.ts';
import { formatNumber, startTable } from '../support/table.ts';
import { createUsers } from '../support/users.ts';

export interface IntakeSide extends RunningSide {
  directories: BenchDirectory[];
}

export interface Row {
  operation: Operation;
  directories: number;
  writers: number;
  requests: number;
  sides: Partial<Record<Side, Summary>>;
  /** Rollcall's rate divided by its peer's. */
  ratio: number | undefined;
  /** For each pair of slices. */
  ratios: number[];
}

interface RowOptions extends AlternateOptions {
  operation: Operation;
  directories: number;
}

/** With fewer users per writer, all of them would be cached. */
const minUsersPerWriter = 8;

export async function measureRow(sides: IntakeSide[], options: RowOptions, cleanup: Cleanup): Promise<Row> {
  const { operation, directories, writers } = options;
  const contenders = [];
  for (const side of sides) contenders.push({ ...side, name: side.side, source: await sourceOf(side, options, cleanup) });
  const { requests, summaries } = await alternate(contenders, options, cleanup);
  const { rollcall, polis, before: peer = polis } = summaries;
  const ratios = rollcall && peer ? compareEach(rollcall.slices, peer.slices, 'perSecond') : [];
  const ratio = ratios.length > 0 ? median(ratios) : undefined;
  return { operation, directories, writers, requests, sides: summaries, ratio, ratios };
}

async function sourceOf(side: IntakeSide, { operation, directories: count, writers }: RowOptions, { signal }: Cleanup): Promise<Source> {
  const directories = side.directories.slice(0, count);
  if (operation === 'create') return createUserSource(directories);
  const client = createClient({ baseUrl: side.baseUrl, connections: 16, signal });
  const usersPerWriter = Math.max(minUsersPerWriter, count);
  const placeOf = (index: number) => Math.floor(index / usersPerWriter) + (index % usersPerWriter);
  const places = Array.from({ length: writers * usersPerWriter }, (_, index) => directories[placeOf(index) % count]!);
  const users = await createUsers(client, places);
  await client.close();
  return createToggleSource(
    Array.from({ length: writers }, (_, writer) => users.slice(writer * usersPerWriter, (writer + 1) * usersPerWriter)),
  );
}

type Print = (cells: string[]) => void;

export const latencyColumns = ['p50', 'p95', 'p99'].map((title) => ({ title: `${title} ms`, width: 6 }));
export const rowColumns = [
  { title: 'dirs', width: 4 },
  { title: 'writers', width: 7 },
];

export const startSpeedTable = (sides: Side[]): Print =>
  startTable([
    ...rowColumns,
    ...sides.flatMap((side) => [{ title: `${sideNames[side]}/s`, width: 10 }, ...latencyColumns]),
    { title: 'ratio', width: 5 },
    { title: 'middle half', width: 11 },
  ]);

export const formatSpeed = ({ perSecond, p50Ms, p95Ms, p99Ms }: Summary) => [perSecond, p50Ms, p95Ms, p99Ms].map(formatNumber);

export async function measureRows(
  sides: IntakeSide[],
  { operation, print, ...options }: Options & { directories: number[]; operation: Operation; print: Print },
  cleanup: Cleanup,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const directories of options.directories) {
    for (const writers of options.writers ?? [1, 8, 32, 64]) {
      const row = await measureRow(sides, { ...options, operation, directories, writers }, cleanup);
      rows.push(row);
      const speeds = sides.flatMap(({ side }) => formatSpeed(row.sides[side]!));
      print([
        String(directories),
        String(writers),
        ...speeds,
        ...(row.ratio === undefined ? [''] : [`${formatNumber(row.ratio)}x`, formatMiddleHalf(row.ratios)]),
      ]);
    }
  }
  return rows;
}

/** Processor time per request: the machine's cores are shared by all processes, including the writers. */
export function printCpu(sides: IntakeSide[], rows: Row[]) {
  console.log('\nProcessor time per request, in ms:\n');
  const parts = sides.flatMap(({ side }) => Object.keys(rows[0]!.sides[side]!.cpuMsPerRequest).map((part) => ({ side, part })));
  const print = startTable([
    { title: '', width: 6 },
    ...rowColumns,
    ...parts.map(({ side, part }) => ({ title: `${sideNames[side]}: ${part}`, width: 18 })),
  ]);
  for (const { operation, directories, writers, sides: summaries } of rows)
    print([
      operation,
      String(directories),
      String(writers),
      ...parts.map(({ side, part }) => formatNumber(summaries[side]!.cpuMsPerRequest[part]!)),
    ]);
}
