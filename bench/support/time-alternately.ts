import { createClient, type Client } from './client.ts';
import type { Cleanup } from './cleanup.ts';
import { createDirectories, type BenchDirectory } from './directories.ts';
import { fillUsers, withDatabase } from './fill.ts';
import { startServers } from './servers.ts';
import { prepareRollcall, startRollcall } from './sides.ts';
import { percentile } from './statistics.ts';

interface FilledRollcall {
  client: Client;
  /** One per count of users. */
  directories: BenchDirectory[];
}

/** Starts Rollcall with filled directories and one reader. */
export async function startFilled(counts: number[], cleanup: Cleanup): Promise<FilledRollcall> {
  const servers = await startServers(cleanup);
  const rollcall = await startRollcall(servers, await prepareRollcall(servers), cleanup);
  const directories = await createDirectories({ ...rollcall, count: counts.length });
  const client = createClient({ baseUrl: rollcall.baseUrl, signal: cleanup.signal });
  cleanup.add(() => client.close());
  await withDatabase(rollcall.databaseUrl, async (db) => {
    for (const [index, count] of counts.entries()) await fillUsers(db, { client, directory: directories[index]!, count });
  });
  return { client, directories };
}

export interface Times {
  p50Ms: number;
  p95Ms: number;
}

/** Times the functions in alternation, so that noise affects all of them. The first tenth is a warm-up. */
export async function timeAlternately<Name extends string>(
  send: Record<Name, () => Promise<number>>,
  requests: number,
): Promise<Record<Name, Times>> {
  const names = Object.keys(send) as Name[];
  const times = names.map(() => [] as number[]);
  const warmUps = Math.ceil(requests / 10);
  for (let request = -warmUps; request < requests; request += 1) {
    for (const [index, name] of names.entries()) {
      const ms = await send[name]();
      if (request >= 0) times[index]!.push(ms);
    }
  }
  return Object.fromEntries(names.map((name, index) => [name, summarise(times[index]!)])) as Record<Name, Times>;
}

function summarise(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) };
}
