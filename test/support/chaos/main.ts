// `npm run chaos`: everything fails for three minutes, and the figures show the effects. Then processes are killed at chosen moments, and
// the time until webhooks and sync runs continue is printed.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { isMissed, toTable } from './figures.ts';
import { packageRoot } from '../../../src/paths.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const seconds = Number(values.seconds ?? process.env['CHAOS_SECONDS'] ?? 180);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('--seconds must be a number above 0, and --seed a whole number.');

const ending = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => ending.abort());
const figures = await runChaos({ seconds, seed, say: (line) => console.log(line), signal: ending.signal });
console.log(`\n${toTable(figures)}`);
const recovery = ending.signal.aborted ? undefined : measureRecovery();
process.exitCode = figures.some(isMissed) || recovery?.status ? 1 : 0;

function measureRecovery() {
  const jest = ['node_modules/jest/bin/jest.js', '--runInBand', 'test/faults/recovery'];
  return spawnSync(process.execPath, jest, {
    cwd: packageRoot,
    stdio: 'inherit',
    env: { ...process.env, CRASH_ROUNDS: '3', RECOVER_WITHIN_MS: '5000' },
  });
}
