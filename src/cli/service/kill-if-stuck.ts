import { Worker } from 'node:worker_threads';
import { renderLine, type LogFormat } from '../../logger.ts';

const script = `
const { workerData } = require('node:worker_threads');
setTimeout(() => {
  require('node:fs').writeSync(2, workerData.line);
  process.kill(process.pid, 'SIGKILL');
}, workerData.limitMs);`;

/** Kills the process from another thread, even if the event loop is blocked. The embedded servers end with it. */
export function killIfStuck(limitMs: number, format?: LogFormat): void {
  const message = `killed: the process did not stop within ${limitMs / 1000} s`;
  const line = renderLine({ level: 50, time: Date.now(), msg: message }, format, process.stderr);
  new Worker(script, { eval: true, execArgv: [], workerData: { limitMs, line } }).unref();
}
