import { setTimeout as sleep } from 'node:timers/promises';
import { printTarget, formatNumber, startTable } from './support/table.ts';
import { createClient, type ScimRequest } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories, type BenchDirectory } from './support/directories.ts';
import { createLoad, createUserSource } from './support/load.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { readMemory, readPeakRssKiB, resetPeakRss, assertProc } from './support/processes.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startRollcall, type RunningSide } from './support/sides.ts';
import { median } from './support/statistics.ts';
import { createUser, makeLargeUser, nextTag } from './support/users.ts';

const operations = 1000;
const bytesPerUser = 5000;
const singleWriters = 32;
const targetMiB = 150;
const warmUp = { writers: 8, requests: 500, seconds: 30 };
const restMs = 5000;

const introduction = `
One Bulk request that creates ${operations} users of ${bytesPerUser} bytes each, in a Rollcall process (API and mutation worker) that has only
created ${warmUp.requests} small users before and was idle for ${restMs / 1000} s. Memory is the peak resident size that the kernel reports (VmHWM).
Then the same process creates as many users one by one, with ${singleWriters} writers. Each round starts a new process.
`;

interface Round {
  bytes: number;
  beforeMiB: number;
  extraMiB: number;
  bulkMs: number;
  singlesMs: number;
  singlesExtraMiB: number;
}

export async function measureBulk({ rounds: count, ...options }: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const environment = await prepareRollcall(servers);
  const print = startTable(
    ['bytes', 'before MiB', 'extra MiB', 'Bulk ms', 'singles ms', 'their MiB', 'ratio'].map((title) => ({ title, width: 10 })),
  );
  const rounds: Round[] = [];
  for (let number = 0; number < count; number += 1) {
    const rollcall = await startRollcall(servers, environment, cleanup);
    const round = await measureRound(rollcall, cleanup);
    await rollcall.stop();
    rounds.push(round);
    const { bytes, beforeMiB, extraMiB, bulkMs, singlesMs, singlesExtraMiB } = round;
    print([
      String(bytes),
      ...[beforeMiB, extraMiB, bulkMs, singlesMs, singlesExtraMiB].map(formatNumber),
      `${formatNumber(bulkMs / singlesMs)}x`,
    ]);
  }
  const ratio = median(rounds.map(({ bulkMs, singlesMs }) => bulkMs / singlesMs));
  console.log(`\ntime of the Bulk request vs single requests by ${singleWriters} writers: ${formatNumber(ratio)}x`);
  const worst = Math.max(...rounds.map(({ extraMiB }) => extraMiB));
  printTarget({ title: 'extra memory for a Bulk request, worst round', value: worst, relation: '<', bound: targetMiB, unit: ' MiB' });
  return { machine, options, rounds };
}

async function measureRound(rollcall: RunningSide, { signal }: Cleanup): Promise<Round> {
  const [directory] = await createDirectories({ ...rollcall, count: 1 });
  const { baseUrl } = rollcall;
  const pid = rollcall.pids['node']!;
  const warming = createLoad({ baseUrl, writers: warmUp.writers, signal });
  await warming.run(createUserSource([directory!]), warmUp);
  await warming.close();
  const request = createBulk(directory!);

  const client = createClient({ baseUrl, signal });
  const bulk = await measureMemory(pid, { signal }, async () => {
    const { ms, text, failure } = await client.send(request);
    const failed = failure ?? findFailed(text);
    if (failed !== undefined) throw new Error(`The Bulk request failed: ${failed}`);
    return ms;
  });
  await client.close();

  const load = createLoad({ baseUrl, writers: singleWriters, signal });
  const singles = await measureMemory(pid, { signal }, async () => {
    const { seconds, failures, firstFailure } = await load.run(() => createUser(directory!, makeLargeUser(nextTag(), bytesPerUser)), {
      requests: operations,
      seconds: 120,
    });
    if (failures > 0) throw new Error(`${failures} users were not created, the first: ${firstFailure}`);
    return seconds * 1000;
  });
  await load.close();
  return {
    bytes: Buffer.byteLength(JSON.stringify(request.body)),
    beforeMiB: bulk.beforeMiB,
    extraMiB: bulk.extraMiB,
    bulkMs: bulk.ms,
    singlesMs: singles.ms,
    singlesExtraMiB: singles.extraMiB,
  };
}

/** Measures the resident memory of an idle process, and by how much it grows during the run. */
async function measureMemory(pid: number, { signal }: { signal: AbortSignal }, run: () => Promise<number>) {
  await sleep(restMs, undefined, { signal });
  resetPeakRss(pid);
  const beforeKiB = readMemory(pid).rssKiB;
  const ms = await run();
  return { ms, beforeMiB: beforeKiB / 1024, extraMiB: (readPeakRssKiB(pid) - beforeKiB) / 1024 };
}

const createBulk = ({ scimPath, secret }: BenchDirectory): ScimRequest => ({
  method: 'POST',
  path: `${scimPath}/Bulk`,
  secret,
  body: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: Array.from({ length: operations }, (_, index) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `user-${index}`,
      data: makeLargeUser(nextTag(), bytesPerUser),
    })),
  },
  statuses: [200],
});

function findFailed(text: string): string | undefined {
  const { Operations: results } = JSON.parse(text) as { Operations: { status: string }[] };
  if (results.length !== operations) return `${results.length} results`;
  const failed = results.find(({ status }) => status !== '201');
  return failed && JSON.stringify(failed);
}
