import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { Cleanup } from '../support/cleanup.ts';
import { startService } from '../support/service.ts';
import type { Api } from './api.ts';
import type { WorldSize } from './world.ts';

/** A provider from which a directory is pulled. */
export interface Source {
  /** The settings that point Rollcall to it. */
  environment: Record<string, string>;
  /** Returns the ID of an authorized directory. */
  createDirectory(api: Api): Promise<string>;
  /** Returns the ID of the run. Without it, a run is requested. */
  startRun?(api: Api, directoryId: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ChangingSource extends Source {
  /** Changes a hundredth of the users, and a membership of a hundredth of the groups. */
  change(): Promise<void>;
}

interface FakeProcess<Facts> {
  facts: Facts;
  post(path: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a fake provider in its own process, so that its memory and time do not count for Rollcall. Its readiness endpoint returns facts. */
export async function startFakeProcess<Facts>(name: string, file: string, size: WorldSize, cleanup: Cleanup): Promise<FakeProcess<Facts>> {
  const { baseUrl, stop } = await startService(
    {
      name,
      command: [process.execPath, fileURLToPath(import.meta.resolve(file))],
      environment: { WORLD: JSON.stringify(size) },
    },
    cleanup,
  );
  const { body } = await request(`${baseUrl}/health/ready`);
  return {
    facts: (await body.json()) as Facts,
    stop,
    async post(path) {
      const response = await request(`${baseUrl}${path}`, { method: 'POST' });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`${name} responded with ${response.statusCode}.`);
    },
  };
}
