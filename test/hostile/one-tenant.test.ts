import { expect, it } from '@jest/globals';
import { allScenarios, runHostile, toLine } from '../support/hostile/run.ts';

// On a quiet machine `npm run hostile` holds the neighbour to two seconds. Here other tests use the same processors, and it has that long.
const worstMs = Number(process.env['HOSTILE_WORST_MS'] ?? 18_000);

it('one tenant attacks at a heap of 512 MiB, and another pushes and reads on', async () => {
  const figures = await runHostile({ worstMs });
  console.log(figures.map(toLine).join('\n'));
  expect(figures.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))).toEqual([]);
  expect(figures).toHaveLength(allScenarios.length);
}, 2_400_000);
