import { readFile } from 'node:fs/promises';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { openDatabase } from '../../src/store/database.ts';
import { killProcessTree } from '../../src/embedded/processes.ts';
import { startRollcall, type ProcessOptions, type RunningRollcall } from './process.ts';
import { request, toTestDirectory } from './service.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Recovery {
  readyAfterMs: number;
  recoveredAfterReadyMs: number;
}

/** The whole service with its embedded servers in a data folder of its own. */
export async function createEmbeddedService(more: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const env = { ROLLCALL_DATA_DIR: folder.at('data'), PORT: String(await findFreePort()), ...more };
  return {
    folder: folder.path,
    env,
    start: (options: Partial<ProcessOptions> = {}) => startRollcall({ folder: folder.path, env, ...options }),
    async createDirectory({ baseUrl }: RunningRollcall, fields: Record<string, unknown>) {
      const apiKey = (await readFile(folder.at('data', 'api-key'), 'utf8')).trim();
      const authorization = `Api-Key ${apiKey}`;
      const { body } = await request(
        `${baseUrl}/api/v1/directory-sync`,
        'POST',
        { tenant: 'acme', product: 'app', ...fields },
        { authorization },
      );
      return toTestDirectory(baseUrl, body.data);
    },
    async openDatabase(service: RunningRollcall) {
      const port = /Postgres is ready on port (\d+)/.exec(service.output())![1]!;
      const password = (await readFile(folder.at('data', 'postgres-password'), 'utf8')).trim();
      return openDatabase(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
    },
    remove: () => folder[Symbol.asyncDispose](),
  };
}

/** SIGKILL for a process and its children, like the end of a container or a machine. */
export async function killTree(service: RunningRollcall): Promise<void> {
  await killProcessTree(service.pid);
  await service.exited;
}

export const toLine = (title: string, recoveries: Recovery[]): string => {
  const worst = (read: (one: Recovery) => number) => Math.round(Math.max(...recoveries.map(read)));
  return `${title}: ready after at most ${worst(({ readyAfterMs }) => readyAfterMs)} ms, then at most ${worst(
    ({ recoveredAfterReadyMs }) => recoveredAfterReadyMs,
  )} ms (${recoveries.length} rounds)`;
};
