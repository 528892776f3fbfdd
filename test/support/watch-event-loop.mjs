// Loaded into a service by `--import`: on SIGUSR2 it writes down the longest time that its event loop was blocked since the last one.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.EVENT_LOOP_FILE;
const everyMs = 5;
const delays = monitorEventLoopDelay({ resolution: everyMs });
delays.enable();

// On a busy machine the process waits for a processor too. What it used itself in the meantime says how much of that was its own.
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
