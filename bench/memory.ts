import { setTimeout as sleep } from 'node:timers/promises';
import { printTarget, startTable } from './support/table.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories } from './support/directories.ts';
import { createLoad, createUserSource } from './support/load.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { readMemory, readProcessTree, assertProc, type Memory } from './support/processes.ts';
import { makeFolder } from './support/servers.ts';
import { embeddedEnvironment, rollcallCommand, startService } from './support/service.ts';

interface Part extends Memory {
  part: string;
  processes: number;
}

const parts = ['Node', 'Postgres', 'Temporal', 'watchdogs'];
const partOf: Record<string, string> = { node: 'Node', postgres: 'Postgres', temporal: 'Temporal' };
const targetMiB = 500;
const restMs = 10_000;
const apiKey = 'bench-key-of-32-characters-or-more';

const introduction = `
Memory of the embedded servers (\`start\`): after 50 pushed users, and after a load of 32 writers, each time after 10 s without load.
PSS counts a page that processes share once in total, RSS once per process. Watchdogs are the shells that stop a server when its Rollcall
was killed.
`;

export async function measureMemory({ seconds }: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const folder = await makeFolder(cleanup);
  const environment = { ...embeddedEnvironment(folder), API_KEYS: apiKey };
  const { pid, baseUrl } = await startService({ name: 'Rollcall', command: rollcallCommand('start'), environment }, cleanup);
  const directories = await createDirectories({ baseUrl, apiKey, count: 1 });
  const push = async (writers: number, limit: { requests?: number; seconds: number }) => {
    const load = createLoad({ baseUrl, writers, signal: cleanup.signal });
    const { done } = await load.run(createUserSource(directories), limit);
    await load.close();
    await sleep(restMs, undefined, { signal: cleanup.signal });
    return done;
  };

  const fewCreates = await push(1, { requests: 50, seconds: 30 });
  const fresh = readParts(pid);
  const manyCreates = await push(32, { seconds: seconds * 3 });
  const loaded = readParts(pid);

  print(fresh, loaded);
  const idleMiB = toMiB(sum(fresh).pssKiB);
  console.log(`\nafter ${fewCreates} users, and ${manyCreates} more`);
  printTarget({ title: 'embedded servers, idle', value: idleMiB, relation: '<', bound: targetMiB, unit: ' MiB' });
  return { machine, fresh, loaded, fewCreates, manyCreates, idleMiB };
}

function readParts(rootPid: number): Part[] {
  const processes = readProcessTree(rootPid).map(({ pid, name }) => ({ part: partOf[name] ?? 'watchdogs', ...readMemory(pid) }));
  return parts.map((part) => {
    const own = processes.filter((process) => process.part === part);
    return { part, processes: own.length, ...sum(own) };
  });
}

const sum = (memories: Memory[]): Memory => ({
  rssKiB: memories.reduce((total, { rssKiB }) => total + rssKiB, 0),
  pssKiB: memories.reduce((total, { pssKiB }) => total + pssKiB, 0),
});

const toMiB = (kiB: number) => Math.round(kiB / 1024);

function print(fresh: Part[], loaded: Part[]) {
  const printRow = startTable([
    { title: 'part', width: 9 },
    { title: 'processes', width: 9 },
    { title: 'PSS MiB', width: 8 },
    { title: 'RSS MiB', width: 8 },
    { title: 'after load: PSS', width: 15 },
    { title: 'RSS', width: 5 },
  ]);
  const total = (all: Part[]): Part => ({
    part: 'sum',
    processes: all.reduce((count, { processes }) => count + processes, 0),
    ...sum(all),
  });
  const after = [...loaded, total(loaded)];
  [...fresh, total(fresh)].forEach(({ part, processes, pssKiB, rssKiB }, index) => {
    printRow([part, ...[processes, toMiB(pssKiB), toMiB(rssKiB), toMiB(after[index]!.pssKiB), toMiB(after[index]!.rssKiB)].map(String)]);
  });
}
