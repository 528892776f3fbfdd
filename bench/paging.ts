import { printTarget, formatNumber, startTable } from './support/table.ts';
import type { Client } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import type { BenchDirectory } from './support/directories.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startFilled, timeAlternately } from './support/time-alternately.ts';
import { listUsers } from './support/users.ts';

const introduction = `
Pages of 100 users of a large directory, by one reader: by cursor (RFC 9865), following nextCursor to the last timed page, which is then
read alternately with the first one; and by startIndex. The users were inserted by SQL.
`;

const count = 100;
const lastPage = 1000;
const targetRatio = 1.5;

interface Page {
  totalResults: number;
  nextCursor?: string;
  Resources: { id: string }[];
}

export async function measurePaging(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const { client, directories } = await startFilled([options.users], cleanup);
  const directory = directories[0]!;
  const number = Math.min(lastPage, Math.floor(options.users / count));
  const startedMs = performance.now();
  const cursor = await walk(client, directory, number);
  const walkMs = performance.now() - startedMs;

  const names = {
    first: 'page 1 by cursor',
    last: `page ${number} by cursor`,
    firstByIndex: 'page 1 by startIndex',
    lastByIndex: `page ${number} by startIndex`,
  };
  const times = await timeAlternately(
    {
      first: () => read(client, directory, { cursor: '' }),
      last: () => read(client, directory, { cursor }),
      firstByIndex: () => read(client, directory, { startIndex: '1' }),
      lastByIndex: () => read(client, directory, { startIndex: String((number - 1) * count + 1) }),
    },
    options.requests,
  );
  const print = startTable([
    { title: '', width: 24 },
    { title: 'p50 ms', width: 6 },
    { title: 'p95 ms', width: 6 },
    { title: 'vs page 1 by cursor', width: 19 },
  ]);
  const ratioOf = (name: keyof typeof names) => times[name].p50Ms / times.first.p50Ms;
  for (const name of Object.keys(names) as (keyof typeof names)[])
    print([names[name], formatNumber(times[name].p50Ms), formatNumber(times[name].p95Ms), `${formatNumber(ratioOf(name))}x`]);
  console.log(`\nreading ${number} pages by cursor took ${formatNumber(walkMs / 1000)} s`);
  printTarget({ title: `page ${number} vs page 1, by cursor`, value: ratioOf('last'), relation: '≤', bound: targetRatio, unit: 'x' });
  return { machine, options, times, walkMs };
}

/** Reads all pages up to this one and returns its cursor. */
async function walk(client: Client, directory: BenchDirectory, number: number): Promise<string> {
  const seen = new Set<string>();
  let last = '';
  let next: string | undefined = '';
  for (let page = 1; page <= number; page += 1) {
    if (next === undefined) throw new Error(`The list ended after ${page - 1} pages.`);
    last = next;
    const { Resources: users, nextCursor } = await client.fetch<Page>(listUsers(directory, { cursor: last, count: String(count) }));
    for (const { id } of users) seen.add(id);
    next = nextCursor;
  }
  if (seen.size !== number * count) throw new Error(`${number} pages held ${seen.size} users.`);
  return last;
}

async function read(client: Client, directory: BenchDirectory, position: Record<string, string>): Promise<number> {
  const { ms, text, failure } = await client.send(listUsers(directory, { ...position, count: String(count) }));
  if (failure !== undefined || (JSON.parse(text) as Page).Resources.length !== count) throw new Error(failure ?? 'A page is not full.');
  return ms;
}
