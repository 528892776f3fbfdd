// `npm run hostile`: one tenant attacks, another one continues to work, and the figures show how it was affected.
import { parseArgs } from 'node:util';
import { allScenarios, runHostile, toLine } from './run.ts';
import { storedScenarios } from './scenarios/stored.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string' }, 'worst-ms': { type: 'string' }, profiles: { type: 'string' } },
});
const rounds = Number(values.rounds ?? 3);
const chosen = [...allScenarios, ...storedScenarios].filter(({ name }) => name.includes(values.only ?? ''));
if (chosen.length === 0 || !(rounds > 0)) throw new Error('--only must be a part of a scenario’s name, and --rounds a number above 0.');

const figures = await runHostile({
  scenarios: Array.from({ length: rounds }, () => chosen).flat(),
  worstMs: Number(values['worst-ms'] ?? 2_000),
  ...(values.profiles !== undefined && { profiles: values.profiles }),
  onFigures: (one) => console.log(toLine(one)),
});
const failed = figures.filter(({ problems }) => problems.length > 0);
console.log(`\n${figures.length} attacks, ${failed.length} noticed by the other tenant or the process${failed.length > 0 ? ':' : '.'}`);
for (const one of failed) console.log(toLine(one));
process.exitCode = failed.length > 0 ? 1 : 0;
