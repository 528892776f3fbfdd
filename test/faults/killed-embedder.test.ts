import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { startTestLibrary } from '../support/library.ts';
import { until } from '../support/until.ts';

const kills = Number(process.env['CRASH_ROUNDS'] ?? 3);

it('loses nothing that it acknowledged, and emits each change once in the feed, however often its application is killed', async () => {
  const library = await startTestLibrary();
  const directory = await library.createDirectory();
  const made: string[] = [];
  for (let run = 0; run < kills; run += 1) {
    const madeBefore = made.length;
    const child = spawn(process.execPath, [join(packageRoot, 'test/support/embedder.mjs')], {
      env: {
        ...process.env,
        DATABASE_URL: library.options.databaseUrl,
        ENCRYPTION_KEY: library.options.encryptionKeys![0],
        DIRECTORY_ID: directory.id,
        SCIM_SECRET: directory.secret,
        RUN: String(run),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const emitted: number[] = [];
    createInterface(child.stdout).on('line', (line) => {
      const [word, value] = line.split(' ') as [string, string];
      if (word === 'made') made.push(value);
      else emitted.push(Number(value));
    });
    await until(() => made.length >= madeBefore + 40, { timeoutMs: 60_000 });
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    expect(emitted).toEqual([...emitted].sort((a, b) => a - b));
    expect(new Set(emitted).size).toBe(emitted.length);
  }
  const events = await library.db('events').where({ directory_id: directory.id }).orderBy('sequence').select('sequence', 'data');
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const names = events.map(({ data }) => data.raw.userName as string);
  expect(new Set(names).size).toBe(names.length);
  const stored = await library.db('users').where({ directory_id: directory.id }).pluck<string[]>('user_name');
  expect(new Set(stored)).toEqual(new Set(names));
  expect(made.filter((name) => !names.includes(name))).toEqual([]);
  await library.stop();
}, 240_000);
