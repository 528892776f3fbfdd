import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { differences } from './differences.ts';
import { compare, isKnown, type Difference, type KnownDifference, type Observation } from './find-differences.ts';
import { observe, scenarios } from './scenarios.ts';
import { startHttp, startJackson, startPolis, type Side } from './sides.ts';

/** The same calls through `@boxyhq/saml-jackson`, `rollcall/jackson` and HTTP. What differs must be in `differences`. */

const sides: Side[] = [];
beforeAll(async () => {
  for (const start of [startPolis, startJackson, startHttp]) sides.push(await start());
});
afterAll(async () => {
  await Promise.all(sides.map((side) => side.stop()));
});

const matched = new Set<KnownDifference>();

it.each(scenarios)('$title is as in Polis, except for the known differences', async (scenario) => {
  const seen: Observation[][] = [];
  for (const side of sides) seen.push(await observe(scenario, side));
  const [polis, ...rollcall] = seen;
  const unknown = rollcall.flatMap((observations, index) => {
    const { name } = sides[index + 1]!;
    return compare(polis!, observations)
      .filter((found) => !note(name, found))
      .map((found) => ({ side: name, ...found }));
  });
  expect(unknown).toEqual([]);
});

it('there is no known difference that does not exist', () => {
  expect(differences.filter((known) => !matched.has(known))).toEqual([]);
});

function note(side: string, found: Difference): boolean {
  const known = differences.filter((one) => isKnown(side, found, one));
  for (const one of known) matched.add(one);
  return known.length > 0;
}
