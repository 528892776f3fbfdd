import { readFile, readdir, readlink } from 'node:fs/promises';
import { spawn } from 'node:child_process';

/** Distinguishes a process from a later one with the same ID. Undefined once it has ended, even as a zombie. */
export async function readProcessIdentity(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const [state, ...startedAt] = (await runCommand(['ps', '-o', 'stat=,lstart=', '-p', String(pid)])).output.trim().split(/\s+/);
    return !state || state.startsWith('Z') ? undefined : `${pid} ${startedAt.join(' ')}`;
  }
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, ...fields] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return !state || state === 'Z' || state === 'X' ? undefined : `${pid} ${fields[18]}`;
}

export async function isRunning(identity: string): Promise<boolean> {
  return (await readProcessIdentity(Number.parseInt(identity, 10))) === identity;
}

/** The process and all its descendants, parents first. */
export async function listProcessTree(pid: number): Promise<number[]> {
  const parents = process.platform === 'linux' ? await readProc() : await runPs();
  const tree = [pid];
  for (const parent of tree) tree.push(...parents.filter(([, itsParent]) => itsParent === parent).map(([child]) => child));
  return tree;
}

/** Kills a process and all its descendants. A child that starts meanwhile must notice that its parent is gone. */
export async function killProcessTree(pid: number): Promise<void> {
  signalAll(await listProcessTree(pid), 'SIGKILL');
}

export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // The process has ended already.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function readProc(): Promise<[number, number][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid): Promise<[number, number]> => {
      const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return [Number(pid), Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1])];
    }),
  );
}

async function runPs(): Promise<[number, number][]> {
  const { output } = await runCommand(['ps', '-A', '-o', 'pid=,ppid=']);
  return output
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
}

interface ListeningAddress {
  host: string;
  port: number;
}

/** The TCP addresses that a process listens on; empty once it has ended. */
export async function findListeningAddresses(pid: number): Promise<ListeningAddress[]> {
  if (process.platform !== 'linux') return runLsof(pid);
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const sockets = new Set(await Promise.all(names.map((fd) => readlink(`${folder}/${fd}`).catch(() => ''))));
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')));
  return tables.flatMap((table) =>
    table
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
      .map(([, local]) => {
        const [host = '', port = ''] = local!.split(':');
        return { host: host.length === 8 ? toIpv4(host) : host, port: Number.parseInt(port, 16) };
      }),
  );
}

/** Four bytes in little-endian order. */
const toIpv4 = (hex: string) => Buffer.from(hex, 'hex').toReversed().join('.');

async function runLsof(pid: number): Promise<ListeningAddress[]> {
  const { output } = await runCommand(['lsof', '-nP', '-a', '-p', String(pid), '-iTCP', '-sTCP:LISTEN', '-Fn']);
  return [...output.matchAll(/^n(.+):(\d+)$/gm)].map(([, host, port]) => ({ host: host!, port: Number(port) }));
}

export interface SpawnAs {
  uid?: number;
  gid?: number;
}

/** Runs a short command and waits for its end. If it cannot be started, `code` is null. */
export function runCommand([command, ...args]: string[], spawnAs: SpawnAs = {}): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command!, args, { ...spawnAs, env: serverEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    const collect = (chunk: Buffer) => void (output += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** What a program needs to run, without Rollcall's own variables: they contain keys. */
const kept = ['PATH', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

export const serverEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
