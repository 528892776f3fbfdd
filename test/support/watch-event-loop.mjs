// Loaded into a service with `--import`. On SIGUSR2 it writes the longest block of the event loop since the last signal.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.EVENT_LOOP_FILE;
const everyMs = 5;
const delays = monitorEventLoopDelay({ resolution: everyMs });
delays.enable();

// On a busy machine the process also waits for a processor. Its own processor time shows how much of a block it caused.
let processorMs = 0;
let last = { atMs: performance.now(), usage: process.cpuUsage() };
setInterval(() => {
  const now = { atMs: performance.now(), usage: process.cpuUsage() };
  const used = (now.usage.user + now.usage.system - last.usage.user - last.usage.system) / 1_000;
  processorMs = Math.max(processorMs, Math.min(now.atMs - last.atMs - everyMs, used));
  last = now;
}, everyMs).unref();

process.on('SIGUSR2', () => {
  writeFileSync(`${file}.new`, JSON.stringify({ blockedMs: delays.max / 1e6, processorMs }));
  delays.reset();
  processorMs = 0;
  renameSync(`${file}.new`, file);
});
