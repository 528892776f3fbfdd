import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from './cleanup.ts';
import { createLoad, type Slice, type Source } from './load.ts';
import type { Options } from './options.ts';
import { readCpuMs, readMainThreadCpuMs } from './processes.ts';
import { median } from './statistics.ts';

export interface Contender<Name extends string> {
  name: Name;
  baseUrl: string;
  /** Its processes by name; their descendants count too. The main thread of `node` is measured separately too. */
  pids: Record<string, number>;
  source: Source;
}

/** Medians of the rounds. */
export interface Summary extends Pick<Slice, Figure> {
  cpuMsPerRequest: Record<string, number>;
  failures: number;
  slices: Slice[];
}

type Figure = 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms';

export interface AlternateOptions extends Pick<Options, 'seconds' | 'rounds'> {
  writers: number;
}

export interface Alternated<Name extends string> {
  requests: number;
  summaries: Partial<Record<Name, Summary>>;
}

export const mainThread = 'main thread';
const warmUpSeconds = 1;
/** A service may still work after its last response, which must not slow down the other side's slice. */
const settleMs = 300;

/** Alternates as A B B A, with the same number of requests in each slice, so that noise affects both sides and neither is always first. */
export async function alternate<Name extends string>(
  contenders: Contender<Name>[],
  { writers, rounds, seconds }: AlternateOptions,
  { signal }: Cleanup,
): Promise<Alternated<Name>> {
  const runs = contenders.map((contender) => ({
    ...contender,
    load: createLoad({ baseUrl: contender.baseUrl, writers, signal }),
    slices: [] as Slice[],
    cpuMs: [] as Record<string, number>[],
  }));
  try {
    const warmUps: Slice[] = [];
    for (const { load, source } of runs) warmUps.push(await load.run(source, { seconds: warmUpSeconds }));
    await sleep(settleMs, undefined, { signal });
    const slowest = Math.min(...warmUps.map(({ perSecond }) => perSecond));
    const requests = Math.max(writers, Math.round(slowest * seconds));
    for (let round = 0; round < rounds; round += 1) {
      for (const { load, source, slices, cpuMs, pids } of round % 2 === 0 ? runs : runs.toReversed()) {
        const before = readCpus(pids);
        const slice = await load.run(source, { requests, seconds: seconds * 4 });
        await sleep(settleMs, undefined, { signal });
        const after = readCpus(pids);
        slices.push(slice);
        cpuMs.push(Object.fromEntries(Object.keys(before).map((part) => [part, (after[part]! - before[part]!) / slice.done])));
      }
    }
    const summaries = runs.map(({ name, slices, cpuMs }) => [name, summarise(slices, cpuMs)] as const);
    return { requests, summaries: Object.fromEntries(summaries) as Partial<Record<Name, Summary>> };
  } finally {
    await Promise.all(runs.map(({ load }) => load.close()));
  }
}

/** Returns the median of the ratios of the slices of each round. */
export const compare = (one: Slice[], other: Slice[], figure: Figure): number => median(compareEach(one, other, figure));

export const compareEach = (one: Slice[], other: Slice[], figure: Figure): number[] =>
  one.map((slice, round) => slice[figure] / other[round]![figure]);

const readCpus = (pids: Record<string, number>): Record<string, number> => ({
  ...Object.fromEntries(Object.entries(pids).map(([part, pid]) => [part, readCpuMs(pid)])),
  ...(pids['node'] !== undefined && { [mainThread]: readMainThreadCpuMs(pids['node']) }),
});

function summarise(slices: Slice[], cpuMs: Record<string, number>[]): Summary {
  const of = (figure: Figure) => median(slices.map((slice) => slice[figure]));
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p95Ms: of('p95Ms'),
    p99Ms: of('p99Ms'),
    cpuMsPerRequest: Object.fromEntries(Object.keys(cpuMs[0]!).map((part) => [part, median(cpuMs.map((parts) => parts[part]!))])),
    failures: slices.reduce((sum, { failures }) => sum + failures, 0),
    slices,
  };
}
