import { expect, it } from '@jest/globals';
import { runHostile, toLine } from '../support/hostile/run.ts';
import { storedScenarios } from '../support/hostile/scenarios/stored.ts';

/** HOSTILE_WORST_MS=2000 is the limit on a quiet machine. */
const worstMs = Number(process.env['HOSTILE_WORST_MS'] ?? 12_000);

it('rows from before today’s limits are changed and read at a heap of 512 MiB, and another directory continues to push and read', async () => {
  const figures = await runHostile({ scenarios: storedScenarios, worstMs });
  console.log(figures.map(toLine).join('\n'));
  expect(figures.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))).toEqual([]);
  expect(figures).toHaveLength(storedScenarios.length);
}, 300_000);
