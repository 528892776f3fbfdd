import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import type { WorstRequest } from '../support/measure-costs.ts';

/** Different in each run. FUZZ_SEED repeats a run, FUZZ_RUNS sets the number of requests of each kind. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 15);
/** The least of several runs counts. FUZZ_MAX_MS sets another limit. */
const maxCpuMs = Number(process.env['FUZZ_MAX_MS'] ?? 250);
/** Threads that collect garbage in parallel spin while they wait for each other: beside other tests that doubles the processor time. */
const flags = ['--single-threaded-gc'];

let worst: WorstRequest[];
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, join(packageRoot, 'dist/test/support/measure-costs.js')], {
    env: { FUZZ_SEED: `${seed}`, FUZZ_RUNS: `${numRuns}`, FUZZ_MAX_MS: `${maxCpuMs}` },
    maxBuffer: 10_000_000,
  });
  worst = JSON.parse(stdout) as WorstRequest[];
  const lines = worst.map(
    ({ kind, cpuMs, firstMs, text }) => `${kind}: ${cpuMs.toFixed(0)} ms, ${firstMs.toFixed(0)} at first: ${text.slice(0, 300)}`,
  );
  console.log(`Processor time of the worst request of each kind, seed ${seed}, ${numRuns} of each:\n${lines.join('\n')}`);
}, 600_000);

it.each(['patches', 'groupPatches', 'replacements', 'bulks', 'filters', 'searches'])(
  `no request under 64 KB takes more than ${maxCpuMs} ms of processor time: %s, with the seed ${seed}`,
  (kind) => {
    const { cpuMs, text } = worst.find((one) => one.kind === kind)!;
    expect({ cpuMs, text: cpuMs < maxCpuMs ? '' : text.slice(0, 2_000) }).toEqual({ cpuMs: expect.any(Number), text: '' });
  },
);
