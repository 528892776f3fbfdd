import { setTimeout as sleep } from 'node:timers/promises';
import type { Closing } from './closing.ts';
import type { BenchDirectory } from './directories.ts';
import { createLoad, type Slice } from './load.ts';
import type { Options, Side } from './options.ts';
import { readCpuMs } from './processes.ts';
import type { RunningSide } from './sides.ts';
import { median } from './statistics.ts';

export interface Contender extends RunningSide {
  directories: BenchDirectory[];
}

export interface Row {
  directories: number;
  writers: number;
  requests: number;
  sides: Partial<Record<Side, Summary>>;
  /** Rollcall's rate by the ancestor's, of neighbouring slices; the median of the rounds. */
  ratio: number | undefined;
}

/** Medians of the rounds. */
export interface Summary extends Pick<Slice, 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  cpuMsPerCreate: Record<string, number>;
  failures: number;
  slices: Slice[];
}

export interface RowOptions extends Pick<Options, 'seconds' | 'rounds'> {
  directories: number;
  writers: number;
}

const warmUpSeconds = 1;
/** A service answers before its last work is done; that must not fall into the other's slice. */
const settleMs = 300;

/** A B A B: as many requests for each side in each slice, so that noise from outside hits both. */
export async function measureRow(contenders: Contender[], options: RowOptions, { signal }: Closing): Promise<Row> {
  const { directories, writers, rounds, seconds } = options;
  const runs = contenders.map((contender) => ({
    ...contender,
    load: createLoad({ baseUrl: contender.baseUrl, directories: contender.directories.slice(0, directories), writers, signal }),
    slices: [] as Slice[],
    cpuMs: [] as Record<string, number>[],
  }));
  try {
    const warmUps: Slice[] = [];
    for (const { load } of runs) warmUps.push(await load.run({ seconds: warmUpSeconds }));
    await sleep(settleMs, undefined, { signal });
    const slowest = Math.min(...warmUps.map(({ perSecond }) => perSecond));
    const requests = Math.max(writers, Math.round(slowest * seconds));
    for (let round = 0; round < rounds; round += 1) {
      for (const { load, slices, cpuMs, pids } of runs) {
        const before = readCpus(pids);
        const slice = await load.run({ requests, seconds: seconds * 4 });
        await sleep(settleMs, undefined, { signal });
        const after = readCpus(pids);
        slices.push(slice);
        cpuMs.push(Object.fromEntries(Object.keys(pids).map((part) => [part, (after[part]! - before[part]!) / slice.creates])));
      }
    }
    const [rollcall, ancestor] = (['rollcall', 'ancestor'] as const).map((name) => runs.find(({ side }) => side === name)?.slices);
    return {
      directories,
      writers,
      requests,
      sides: Object.fromEntries(runs.map(({ side, slices, cpuMs }) => [side, summarise(slices, cpuMs)])),
      ratio: rollcall && ancestor && median(rollcall.map(({ perSecond }, round) => perSecond / ancestor[round]!.perSecond)),
    };
  } finally {
    await Promise.all(runs.map(({ load }) => load.close()));
  }
}

const readCpus = (pids: Record<string, number>) => Object.fromEntries(Object.entries(pids).map(([part, pid]) => [part, readCpuMs(pid)]));

function summarise(slices: Slice[], cpuMs: Record<string, number>[]): Summary {
  const of = (figure: 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms') => median(slices.map((slice) => slice[figure]));
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p95Ms: of('p95Ms'),
    p99Ms: of('p99Ms'),
    cpuMsPerCreate: Object.fromEntries(Object.keys(cpuMs[0]!).map((part) => [part, median(cpuMs.map((parts) => parts[part]!))])),
    failures: slices.reduce((sum, { failures }) => sum + failures, 0),
    slices,
  };
}
