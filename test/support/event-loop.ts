import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/paths.ts';
import type { RunningRollcall } from './process.ts';
import { until } from './until.ts';

const program = pathToFileURL(join(packageRoot, 'test/support/watch-event-loop.mjs')).href;

/** Settings of a service whose event loop is watched. */
export const watchingEventLoop = (folder: string, options = '') => ({
  NODE_OPTIONS: `--import=${program} ${options}`.trim(),
  EVENT_LOOP_FILE: join(folder, 'event-loop'),
});

/** The values are in milliseconds, since the last call. */
export interface LongestBlocks {
  /** The longest block of the event loop, also because other processes used the processor. */
  blockedMs: number;
  /** The most processor time of the service during a block. */
  processorMs: number;
}

export async function takeLongestBlocks(service: RunningRollcall, folder: string): Promise<LongestBlocks> {
  const file = join(folder, 'event-loop');
  await rm(file, { force: true });
  service.signal('SIGUSR2');
  let text = '';
  await until(async () => (text = await readFile(file, 'utf8').catch(() => '')) !== '');
  const { blockedMs, processorMs } = JSON.parse(text) as LongestBlocks;
  return { blockedMs: Math.round(blockedMs), processorMs: Math.round(processorMs) };
}
