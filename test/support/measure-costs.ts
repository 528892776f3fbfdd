// A separate program for test/hostile/cost-of-requests.test.ts, because global names are slow to look up in Jest's realm. It writes
// the worst request of each kind as JSON.
import fc from 'fast-check';
import { decideOutcomes } from '../../src/directory/changes/apply-to-directory.ts';
import type { Mutation } from '../../src/directory/changes/mutation.ts';
import { readChange } from '../../src/directory/changes/read-change.ts';
import { rejectUnstorable } from '../../src/http/server/body/reject-unstorable.ts';
import { scanJson } from '../../src/http/server/body/scan-json.ts';
import { createBudget } from '../../src/scim/budget.ts';
import { ScimError } from '../../src/scim/errors.ts';
import { parseFilter } from '../../src/scim/filter/parse-filter.ts';
import { project } from '../../src/scim/projection.ts';
import { userType } from '../../src/scim/schema/resource-types.ts';
import { composeWrite } from '../../src/store/changes/write-changes.ts';
import { compileFilter } from '../../src/store/filters/compile-filter.ts';
import { bulks, groupPatches, patches, replacements, type CostlyRequest } from './costly-requests/changes.ts';
import { filtered, filters, searches } from './costly-requests/searches.ts';
import { readSnapshot } from './costly-requests/stored-resources.ts';
import { maxRequestBytes } from './costly-requests/values.ts';
import { mutationOf, readBulkMutation } from './decide.ts';
import { readSearchRequest } from '../../src/scim/list.ts';

export interface WorstRequest {
  kind: string;
  cpuMs: number;
  /** Of the first run of the same request, which includes compilation and garbage collection. */
  firstMs: number;
  text: string;
}

const seed = Number(process.env['FUZZ_SEED']);
const numRuns = Number(process.env['FUZZ_RUNS']);
/** A faster request is not measured again. */
const maxCpuMs = Number(process.env['FUZZ_MAX_MS']);

/** The processor time of all threads of this process, including garbage collection, whether or not the request is rejected. */
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

/** Any run may include garbage collection or compilation, so a request is too expensive only if all its runs are. */
async function leastOf(measure: () => Promise<number>): Promise<{ cpuMs: number; firstMs: number }> {
  let cpuMs = Infinity;
  let firstMs: number | undefined;
  for (let time = 0; time < 12 && cpuMs > maxCpuMs * 0.6; time += 1) {
    const before = measureReference();
    const took = await measure();
    firstMs ??= took;
    cpuMs = Math.min(cpuMs, took / Math.max(1, (before + measureReference()) / 2 / quietReferenceMs));
  }
  return { cpuMs, firstMs: firstMs! };
}

/** On a busy machine the same work takes more processor time, so it is compared with constant work. */
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

function read(request: CostlyRequest, text: string): Mutation {
  const body = readBody(text);
  const budget = createBudget();
  if (request.method === 'BULK') return readBulkMutation(body, budget);
  return mutationOf(readChange({ ...request, method: request.method, body, budget }));
}

function readBody(text: string): unknown {
  scanJson(Buffer.from(text), 300_000);
  const body: unknown = JSON.parse(text);
  rejectUnstorable(body, text);
  return body;
}

/**
 * Parses the request, passes it to the workflow as JSON, decides it on the stored resources, and makes the statement that writes it.
 * Excludes Postgres and its driver, Temporal and the response.
 */
async function handle(request: CostlyRequest, text: string): Promise<number> {
  const reading = await costOf(() => JSON.parse(JSON.stringify(read(request, text))) as Mutation);
  if (!reading.result) return reading.cpuMs;
  const mutations = [reading.result];
  const snapshot = readSnapshot(mutations);
  const writing = await costOf(async () => {
    const { space, outcomes, bytes } = await decideOutcomes(mutations, snapshot);
    const writes = { ...space.writes(), outcomes, bytes };
    return composeWrite({ directoryId: mutations[0]!.directoryId, snapshot, writes, wakes: true, returnsEvents: false, shownUsers: [] });
  });
  return reading.cpuMs + writing.cpuMs;
}

/** Postgres compares. A PATCH counts its comparisons itself. */
async function filter(text: string): Promise<number> {
  const parsing = await costOf(() => parseFilter(text, userType));
  const parsed = parsing.result;
  if (!parsed) return parsing.cpuMs;
  const compiling = await costOf(() => compileFilter(parsed, 'User'));
  return parsing.cpuMs + compiling.cpuMs;
}

async function search(text: string): Promise<number> {
  const reading = await costOf(() => readSearchRequest(readBody(text), userType));
  if (!reading.result) return reading.cpuMs;
  const { projection } = reading.result;
  let projectingMs = 0;
  for (const { resource } of filtered)
    projectingMs = Math.max(projectingMs, (await costOf(() => JSON.stringify(project(resource, projection, userType)))).cpuMs);
  return reading.cpuMs + projectingMs;
}

async function worstOf<Value>(
  kind: string,
  values: fc.Arbitrary<Value>,
  textOf: (value: Value) => string,
  measure: (value: Value, text: string) => Promise<number>,
): Promise<WorstRequest> {
  const worst = { kind, cpuMs: 0, firstMs: 0, text: '' };
  for (const value of fc.sample(values, { numRuns, seed })) {
    const text = textOf(value);
    if (Buffer.byteLength(text) > maxRequestBytes) continue;
    const { cpuMs, firstMs } = await leastOf(() => measure(value, text));
    if (cpuMs > worst.cpuMs) Object.assign(worst, { cpuMs, firstMs, text });
  }
  return worst;
}

for (let time = 0; time < 30; time += 1) measureReference();
const worst: WorstRequest[] = [];
const textOfBody = ({ body }: CostlyRequest) => JSON.stringify(body);
for (const [kind, requests] of Object.entries({ patches, groupPatches, replacements, bulks }))
  worst.push(await worstOf(kind, requests, textOfBody, handle));
worst.push(await worstOf('filters', filters, (text) => text, filter));
const textOfSearch = (parameters: object) =>
  JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], ...parameters });
worst.push(await worstOf('searches', searches, textOfSearch, (_asked, text) => search(text)));
process.stdout.write(JSON.stringify(worst));
