import { join } from 'node:path';
import { request } from 'undici';
import { startChild, type Child } from '../../src/embedded/child.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { packageRoot } from '../../src/paths.ts';
import type { Cleanup } from './cleanup.ts';

export interface Service extends Child {
  baseUrl: string;
}

export interface ServiceOptions {
  name: string;
  command: string[];
  environment: Record<string, string>;
}

export const rollcallCommand = (command: 'start' | 'api' | 'worker') => [process.execPath, join(packageRoot, 'dist/src/main.js'), command];

/** Makes `npm start` use embedded servers: empty variables count as unset, and override a `.env` file. */
export const embeddedEnvironment = (dataDir: string) => ({ DATABASE_URL: '', TEMPORAL_ADDRESS: '', ROLLCALL_DATA_DIR: dataDir });

/** Starts a server process and waits until it is ready. It cannot outlive this process. */
export async function startService({ name, command, environment }: ServiceOptions, cleanup: Cleanup): Promise<Service> {
  cleanup.signal.throwIfAborted();
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const settings = { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', ...environment };
  const child = await startChild({
    name,
    command: ['env', ...Object.entries(settings).map(([variable, value]) => `${variable}=${value}`), ...command],
    env: process.env,
    isReady: () => isReady(baseUrl),
    signal: cleanup.signal,
  });
  cleanup.add(() => child.stop());
  return { ...child, baseUrl };
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${baseUrl}/health/ready`);
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
