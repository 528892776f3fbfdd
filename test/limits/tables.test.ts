import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { plans, type Environment, type PlanName } from '../../src/limits/plans.ts';
import { createTestLimits } from '../support/limits.ts';

interface SpecifiedRow {
  plan: PlanName;
  environment: Environment;
  bucket: string;
  rps: number;
  rpm: number;
}

const specification = readFileSync(join(packageRoot, 'test/fixtures/limits/specification.md'), 'utf8');
const everywhere: Environment[] = ['production', 'staging', 'development'];
const outside: Environment[] = ['staging', 'development'];

/** The rows of the table that follows a sentence, cell by cell. */
function tableAfter(sentence: string): string[][] {
  const [, rest = ''] = specification.split(sentence);
  const lines = rest
    .split('\n')
    .filter((line, index, all) => line.startsWith('|') && all.slice(1, index).every((before) => before === '' || before.startsWith('|')));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const numbers = (cells: string[]) => ({ bucket: cells[0]!, rps: Number(cells[1]), rpm: Number(cells[2]) });
const rows = (plan: PlanName, environments: Environment[], cells: string[][]): SpecifiedRow[] =>
  environments.flatMap((environment) => cells.map((some) => ({ plan, environment, ...numbers(some) })));

const developer = tableAfter('Developer plan (the same in all three environments):');
const production = tableAfter('Production plan (also applies to the legacy Essential plan):');
const growth = tableAfter('Growth plan (also applies to the legacy Scale plan):');
const enterprise = tableAfter('Enterprise plan, Production environment (higher limits can be negotiated):');
const of = (table: string[][], environment: string) => table.filter(([cell]) => cell === environment).map((cells) => cells.slice(1));
const outsideRows = of(production, 'Staging and Development');

const specified = [
  ...rows('developer', everywhere, developer),
  ...(['production', 'essential'] as const).flatMap((plan) => [
    ...rows(plan, ['production'], of(production, 'Production')),
    ...rows(plan, outside, outsideRows),
  ]),
  ...(['growth', 'scale'] as const).flatMap((plan) => [
    ...rows(plan, ['production'], of(growth, 'Production')),
    ...rows(plan, outside, outsideRows),
  ]),
  ...rows('enterprise', ['production'], enterprise),
  ...rows('enterprise', outside, outsideRows),
];

function sampleOf(bucket: string) {
  const [, method = 'POST', path = ''] = /^(?:(\w+) )?(.+)$/.exec(bucket)!;
  return { method, path: path === '*' ? '/somewhere/else' : path.replace('**', 'v2/Users/1').replace('*', 'code') };
}

const sorted = (all: object[]) => all.map((row) => JSON.stringify(row, ['plan', 'environment', 'bucket', 'rps', 'rpm'])).sort();

it('cover all rows of the specification, and no others', () => {
  expect(specified).toHaveLength(13 * 3 + 2 * (7 + 2 * 6) + 2 * (7 + 2 * 6) + 7 + 2 * 6);
  const built = Object.entries(plans).flatMap(([plan, byEnvironment]) =>
    Object.entries(byEnvironment).flatMap(([environment, some]) =>
      some.map(([bucket, rps, rpm]) => ({ plan, environment, bucket, rps, rpm })),
    ),
  );
  expect(sorted(built)).toEqual(sorted(specified));
});

describe.each(specified)('$plan, $environment: $bucket', ({ plan, environment, bucket, rps, rpm }) => {
  const startMs = 1_700_000_000_123;

  it(`allows ${rps} requests in a second and rejects the next one until the second is over`, async () => {
    const limits = createTestLimits({ plan, environment, nowMs: startMs });
    expect(await countAllowed(limits, sampleOf(bucket), rps + 1)).toBe(rps);
    expect(await limits.ask(sampleOf(bucket))).toMatchObject({ isAllowed: false, bucket, layer: 'project' });
    limits.passMs(800);
    expect(await limits.ask(sampleOf(bucket))).toMatchObject({ isAllowed: false });
    limits.passMs(200);
    expect(await limits.ask(sampleOf(bucket))).toMatchObject({ isAllowed: true, bucket });
  });

  // The legacy plans use the same tables under other names.
  if (plan === 'essential' || plan === 'scale') return;

  it(`allows ${rpm} requests in a minute and rejects the next one until the minute is over`, async () => {
    const limits = createTestLimits({ plan, environment, nowMs: startMs });
    for (let sent = 0; sent < rpm; sent += rps) {
      expect(await countAllowed(limits, sampleOf(bucket), Math.min(rps, rpm - sent))).toBe(Math.min(rps, rpm - sent));
      limits.passMs(1_000);
    }
    const rejected = await limits.ask(sampleOf(bucket));
    expect(rejected).toMatchObject({ isAllowed: false, bucket, layer: 'project' });
    expect(rejected.windows.find(({ name }) => name === 'sustained')).toMatchObject({ quota: rpm, remaining: 0 });
    limits.passMs(rejected.waitMs - 1);
    expect(await limits.ask(sampleOf(bucket))).toMatchObject({ isAllowed: false });
    limits.passMs(1);
    expect(limits.passedMs()).toBeLessThanOrEqual(60_000);
    expect(await limits.ask(sampleOf(bucket))).toMatchObject({ isAllowed: true });
  });
});

async function countAllowed({ ask }: ReturnType<typeof createTestLimits>, sample: object, count: number): Promise<number> {
  let allowed = 0;
  for (let sent = 0; sent < count; sent += 1) if ((await ask(sample)).isAllowed) allowed += 1;
  return allowed;
}
