// `npm run chaos`: everything fails for three minutes, and the figures say what became of it.
import { parseArgs } from 'node:util';
import { isMissed, toTable } from './figures.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const seconds = Number(values.seconds ?? process.env['CHAOS_SECONDS'] ?? 180);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('--seconds wants a number above 0, and --seed a whole number.');

const ending = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => ending.abort());
const figures = await runChaos({ seconds, seed, say: (line) => console.log(line), signal: ending.signal });
console.log(`\n${toTable(figures)}`);
process.exitCode = figures.some(isMissed) ? 1 : 0;
