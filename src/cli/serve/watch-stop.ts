import { Worker } from 'node:worker_threads';

const script = `
const { workerData } = require('node:worker_threads');
setTimeout(() => {
  require('node:fs').writeSync(2, workerData.line + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, workerData.limitMs);`;

/** Ends the process even if its event loop is blocked, from a thread of its own. The embedded servers end with it. */
export function watchStop(limitMs: number): void {
  const line = JSON.stringify({ level: 50, time: Date.now(), msg: `killed: the process did not stop within ${limitMs / 1000} s` });
  new Worker(script, { eval: true, execArgv: [], workerData: { limitMs, line } }).unref();
}
