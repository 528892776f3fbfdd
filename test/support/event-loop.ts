import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunningRollcall } from './process.ts';
import { until } from './until.ts';

const program = pathToFileURL(join(import.meta.dirname, 'watch-event-loop.mjs')).href;

/** What a service is started with so that its event loop can be watched. */
export const watchingEventLoop = (folder: string, options = '') => ({
  NODE_OPTIONS: `--import=${program} ${options}`.trim(),
  EVENT_LOOP_FILE: join(folder, 'event-loop'),
});

/** In milliseconds, since the last call. */
export interface LongestBlocks {
  /** That the event loop of the service was blocked, also because others had the processor. */
  blockedMs: number;
  /** Of processor time that the service used while its event loop was blocked. */
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
