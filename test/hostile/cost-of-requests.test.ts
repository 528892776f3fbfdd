import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { decideMutations } from '../../src/directory/apply-mutations.ts';
import type { Mutation } from '../../src/directory/mutation.ts';
import { readChange } from '../../src/directory/read-change.ts';
import { refuseUnstorable } from '../../src/http/refuse-unstorable.ts';
import { scanJson } from '../../src/http/scan-json.ts';
import { createBudget } from '../../src/scim/budget.ts';
import { ScimError } from '../../src/scim/errors.ts';
import { matches } from '../../src/scim/filter/matches.ts';
import { parseFilter } from '../../src/scim/filter/parse-filter.ts';
import { userType } from '../../src/scim/schema/resource-types.ts';
import { compileFilter } from '../../src/store/filters/compile-filter.ts';
import {
  bulks,
  filtered,
  filters,
  groupPatches,
  maxRequestBytes,
  patches,
  replacements,
  readSnapshot,
  type CostlyRequest,
} from '../support/costly-requests.ts';
import { mutationOf, readBulkMutation } from '../support/decide.ts';

jest.setTimeout(240_000);

/** Another one each time; FUZZ_SEED repeats a run, FUZZ_RUNS says how many requests of each kind. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 15);
/** 250 ms is what holds on a quiet machine: FUZZ_MAX_MS=250 checks it. Beside other tests the same work takes up to twice the time. */
const maxCpuMs = Number(process.env['FUZZ_MAX_MS'] ?? 600);

const worst = new Map<string, { cpuMs: number; what: string }>();
beforeAll(() => {
  for (let time = 0; time < 20; time += 1) measureReference();
});
afterAll(() => {
  const lines = [...worst].map(([kind, { cpuMs, what }]) => `${kind}: ${cpuMs.toFixed(0)} ms, ${what}`);
  console.log(`Processor time of the worst request of each kind, seed ${seed}:\n${lines.join('\n')}`);
});

/** Refused or not: what counts is what it costs. */
async function costOf<Result>(run: () => Result): Promise<{ cpuMs: number; result?: Awaited<Result> }> {
  const start = process.cpuUsage();
  const elapsed = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  try {
    const result = await run();
    return { cpuMs: elapsed(), result };
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    return { cpuMs: elapsed() };
  }
}

/** A garbage collection or a compilation may fall into any run: a request is too much if it is so time after time. */
async function leastOf(measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < 5 && least > maxCpuMs / 2; time += 1) {
    const before = measureReference();
    const cpuMs = await measure();
    least = Math.min(least, cpuMs / Math.max(1, (before + measureReference()) / 2 / quietReferenceMs));
  }
  return least;
}

/** On a busy machine the same work takes more processor time: it is compared with work that is always the same. */
let quietReferenceMs = Infinity;
function measureReference(): number {
  const start = process.cpuUsage();
  const map = new Map(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, { index, text: `${index}` }]));
  JSON.parse(JSON.stringify([...map.values()]));
  const { user, system } = process.cpuUsage(start);
  const ms = (user + system) / 1000;
  quietReferenceMs = Math.min(quietReferenceMs, ms);
  return ms;
}

function note(kind: string, cpuMs: number, what: string) {
  if (cpuMs > (worst.get(kind)?.cpuMs ?? 0)) worst.set(kind, { cpuMs, what: what.slice(0, 300) });
}

function read(request: CostlyRequest, text: string): Mutation {
  scanJson(Buffer.from(text), 300_000);
  const body: unknown = JSON.parse(text);
  refuseUnstorable(body, text);
  const budget = createBudget();
  if (request.method === 'BULK') return readBulkMutation(body, budget);
  return mutationOf(readChange({ ...request, method: request.method, body, budget }));
}

/** Reading the request, and deciding it on what is stored; what the database does is not in it. */
const handle = (request: CostlyRequest, text: string) => async () => {
  const reading = await costOf(() => read(request, text));
  if (!reading.result) return reading.cpuMs;
  const mutations = [reading.result];
  const snapshot = readSnapshot(mutations);
  const deciding = await costOf(() => decideMutations(mutations, snapshot));
  return reading.cpuMs + deciding.cpuMs;
};

describe(`no request under 64 KB takes more than ${maxCpuMs} ms of processor time, with the seed ${seed}`, () => {
  it.each(Object.entries({ patches, groupPatches, replacements, bulks }))('%s', async (kind, requests) => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const text = JSON.stringify(request.body);
        fc.pre(text.length <= maxRequestBytes);
        const cpuMs = await leastOf(handle(request, text));
        note(kind, cpuMs, `${request.method} ${request.resourceType}: ${text}`);
        expect(cpuMs).toBeLessThan(maxCpuMs);
      }),
      { numRuns, seed, endOnFailure: true },
    );
  });

  it('filters', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (text) => {
        const cpuMs = await leastOf(async () => {
          const parsing = await costOf(() => parseFilter(text, userType));
          const filter = parsing.result;
          if (!filter) return parsing.cpuMs;
          const compiling = await costOf(() => compileFilter(filter, 'User'));
          let matchingMs = 0;
          for (const { resource } of filtered)
            matchingMs = Math.max(matchingMs, (await costOf(() => matches(filter, resource, userType))).cpuMs);
          return parsing.cpuMs + compiling.cpuMs + matchingMs;
        });
        note('filters', cpuMs, text);
        expect(cpuMs).toBeLessThan(maxCpuMs);
      }),
      { numRuns, seed, endOnFailure: true },
    );
  });
});
