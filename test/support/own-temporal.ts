import { packageRoot } from '../../src/paths.ts';
import { type EmbeddedTemporal, findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { searchAttributes } from '../../src/temporal/names.ts';
import { createInstallation, type Installation } from './installation.ts';
import type { RunningRollcall } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An API and a worker as processes, with a Temporal that can be taken down. */
export interface OnOwnTemporal {
  installation: Installation;
  parts: RunningRollcall[];
  temporal(): EmbeddedTemporal;
  /** With the same data and address. */
  startTemporalAgain(): Promise<void>;
  stop(): Promise<void>;
}

export async function startOnOwnTemporal(env: Record<string, string> = {}): Promise<OnOwnTemporal> {
  const folder = await temporaryFolder();
  const start = async (port?: number) => startTemporal({ ...(await own(folder.at('temporal.db'))), ...(port !== undefined && { port }) });
  let temporal = await start();
  const installation = await createInstallation({ temporalAddress: temporal.address, env });
  const parts = await Promise.all([
    installation.start({ command: ['api'] }),
    installation.start({ command: ['worker'], env: { PORT: '0' } }),
  ]);
  return {
    installation,
    parts,
    temporal: () => temporal,
    async startTemporalAgain() {
      temporal = await start(temporal.port);
    },
    async stop() {
      await Promise.all(parts.map((part) => part.kill()));
      await temporal.kill();
      await installation.remove();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function own(databaseFile: string) {
  const command = await findTemporal({
    binary: process.env['TEMPORAL_BINARY'],
    path: process.env['PATH'],
    root: packageRoot,
  });
  return { command, databaseFile, searchAttributes };
}
