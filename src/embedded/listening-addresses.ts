import { readdir, readFile, readlink } from 'node:fs/promises';
import { runCommand } from './run-command.ts';

export interface ListeningAddress {
  host: string;
  port: number;
}

/** Where a process listens by TCP; empty once it has ended. */
export async function listeningAddresses(pid: number): Promise<ListeningAddress[]> {
  if (process.platform !== 'linux') return askLsof(pid);
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

/** Four bytes, the last one first. */
const toIpv4 = (hex: string) => Buffer.from(hex, 'hex').toReversed().join('.');

async function askLsof(pid: number): Promise<ListeningAddress[]> {
  const { output } = await runCommand(['lsof', '-nP', '-a', '-p', String(pid), '-iTCP', '-sTCP:LISTEN', '-Fn']);
  return [...output.matchAll(/^n(.+):(\d+)$/gm)].map(([, host, port]) => ({ host: host!, port: Number(port) }));
}
