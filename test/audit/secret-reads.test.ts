import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Act, Actor } from '../../src/audit/act.ts';
import { createAudit } from '../../src/audit/audit.ts';
import { actAs } from '../../src/audit/audit-scope.ts';

const hourMs = 3_600_000;

function collect() {
  const acts: Act[] = [];
  let time = 0;
  const audit = createAudit({ store: { record: async (act: Act) => void acts.push(act) } as never, now: () => time });
  const read = (directories: { id: string; tenant: string; product: string }[], id = 'root_1', isSession = false) =>
    actAs({ actor: { type: 'root_key', id, name: id } satisfies Actor, isSession }, () => audit.recordSecretsRead(directories));
  return { acts, read, wait: (ms: number) => (time += ms), take: () => acts.splice(0) };
}

const make = (count: number) => Array.from({ length: count }, () => ({ id: randomUUID(), tenant: 'acme', product: 'app' }));

it('records the first read of each directory by each actor within an hour, 100 directories in an entry', async () => {
  const { read, wait, take } = collect();
  const directories = make(250);
  await read(directories);
  expect(take().map(({ targets }) => targets!.length)).toEqual([100, 100, 50]);
  await read(directories);
  expect(take()).toEqual([]);
  await read(directories.slice(0, 1), 'root_2');
  expect(take()).toHaveLength(1);
  wait(hourMs);
  await read(directories.slice(0, 1));
  expect(take()).toHaveLength(1);
});

it('adds at most 500 entries an hour, and one for each actor, however many directories are listed how often', async () => {
  const { acts, read, wait, take } = collect();
  const directories = make(60_000);
  for (const actor of ['root_1', 'root_2', 'root_1', 'root_2']) await read(directories, actor);
  expect(acts).toHaveLength(502);
  expect(take().slice(500)).toMatchObject([{ changes: { further_directories: true } }, { changes: { further_directories: true } }]);
  wait(hourMs);
  await read(directories.slice(-1));
  expect(take()).toMatchObject([{ targets: [{ id: directories.at(-1)!.id }] }]);
});

it('records each read of one directory with a session, and takes nobody who has signed in for the application with the same key', async () => {
  const { read, take } = collect();
  const [one, ...others] = make(3);
  await read([one!, ...others]);
  take();
  for (let times = 0; times < 2; times += 1) await read([one!], 'root_1', true);
  expect(take().map(({ targets }) => targets!.map(({ id }) => id))).toEqual([[one!.id], [one!.id]]);
  for (let times = 0; times < 2; times += 1) await read([one!, ...others], 'root_1', true);
  expect(take().map(({ targets }) => targets!.length)).toEqual([3]);
});
