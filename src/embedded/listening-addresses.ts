import { readdir, readFile, readlink } from 'node:fs/promises';

/** Where a process listens by TCP, as Linux says it. */
export async function listeningAddresses(pid: number): Promise<{ host: string; port: number }[]> {
  const folder = `/proc/${pid}/fd`;
  const sockets = new Set(await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => ''))));
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
