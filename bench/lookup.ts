import { randomInt } from 'node:crypto';
import { printTarget, formatNumber, startTable } from './support/table.ts';
import type { Client } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import type { BenchDirectory } from './support/directories.ts';
import { filledTag } from './support/fill.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startFilled, timeAlternately, type Times } from './support/time-alternately.ts';
import { listUsers, makeUser } from './support/users.ts';

const introduction = `
One reader looks up one user (GET /Users?filter=…), alternately in a small and in a large directory of the same database. Each request is
for another user, who exists. The users were inserted by SQL.
`;

type SampleUser = ReturnType<typeof makeUser>;

const filters: Record<string, (user: SampleUser) => string> = {
  userName: ({ userName }) => `userName eq "${userName}"`,
  externalId: ({ externalId }) => `externalId eq "${externalId}"`,
  emails: ({ emails }) => `emails[type eq "work"].value eq "${emails[0]!.value}"`,
  displayName: ({ displayName }) => `displayName eq "${displayName}"`,
};
const smallSize = 1000;
const targetRatio = 1.5;

interface Row extends Record<'small' | 'large', Times> {
  filter: string;
}

export async function measureLookup(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const sizes = { small: smallSize, large: options.users };
  const { client, directories } = await startFilled([sizes.small, sizes.large], cleanup);
  const [small, large] = directories;
  const print = startTable([
    { title: 'filter', width: 50 },
    ...Object.values(sizes).flatMap((size) => ['p50', 'p95'].map((title) => ({ title: `${size}: ${title} ms`, width: 14 }))),
    { title: 'p50', width: 5 },
  ]);
  const rows: Row[] = [];
  for (const toFilter of Object.values(filters)) {
    const request = {
      small: () => find(client, small!, toFilter(pick(sizes.small))),
      large: () => find(client, large!, toFilter(pick(sizes.large))),
    };
    const row = { filter: toFilter(makeUser('…')), ...(await timeAlternately(request, options.requests)) };
    rows.push(row);
    const times = [row.small, row.large].flatMap(({ p50Ms, p95Ms }) => [p50Ms, p95Ms]);
    print([row.filter, ...times.map(formatNumber), `${formatNumber(ratioOf(row))}x`]);
  }
  console.log('');
  for (const row of rows)
    printTarget({
      title: `${row.filter}, ${sizes.large} vs ${sizes.small} users`,
      value: ratioOf(row),
      relation: '≤',
      bound: targetRatio,
      unit: 'x',
    });
  return { machine, options, rows };
}

const pick = (size: number) => makeUser(filledTag(randomInt(1, size)));
const ratioOf = ({ small, large }: Row) => large.p50Ms / small.p50Ms;

async function find(client: Client, directory: BenchDirectory, filter: string): Promise<number> {
  const { ms, text, failure } = await client.send(listUsers(directory, { filter }));
  const found = failure === undefined ? (JSON.parse(text) as { totalResults: number }).totalResults : undefined;
  if (found !== 1) throw new Error(`${filter} found ${found ?? 'nothing'}: ${failure ?? text.slice(0, 200)}`);
  return ms;
}
