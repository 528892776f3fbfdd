import { createServer } from 'node:net';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { StartupError } from '../../src/errors.ts';
import { startPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from '../../src/embedded/postgres.ts';
import { findPostgresBinaries } from '../../src/embedded/postgres-binaries.ts';
import { readProcessIdentity } from '../../src/embedded/processes.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const running: EmbeddedPostgres[] = [];
let folder: TemporaryFolder;
let dataDir: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  dataDir = folder.at('postgres');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});
afterAll(async () => folder[Symbol.asyncDispose]());

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dataDir, password: 'pass word/@', flags: ['-c', 'fsync=off'], ...options });
  running.push(server);
  return server;
}

async function query(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client(server.url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

it('creates a Unicode database, and keeps its data and password across a stop', async () => {
  const first = await start();
  expect(await query(first, "select lower('ÄÉΣ Жук'), current_setting('server_encoding')")).toEqual(['äéσ жук', 'UTF8']);
  await query(first, "create table kept as select 'here' as word");
  await first.stop();
  expect(await readProcessIdentity(first.pid())).toBeUndefined();
  expect(await query(await start(), 'select word from kept')).toEqual(['here']);
});

it('rejects connections without the password', async () => {
  const { port } = await start();
  await expect(new pg.Client(`postgres://postgres:wrong@127.0.0.1:${port}/postgres`).connect()).rejects.toMatchObject({ code: '28P01' });
});

it('fails with a sentence if the database has another password, and leaves nothing running', async () => {
  await (await start()).stop();
  const starting = start({ password: 'x'.repeat(32) });
  await expect(starting).rejects.toBeInstanceOf(StartupError);
  await expect(starting).rejects.toThrow('postgres-password');
  expect(await query(await start(), 'select 1')).toEqual([1]);
});

it('restarts on the same port when its postmaster is killed', async () => {
  const messages: string[] = [];
  const server = await start({ log: (message) => messages.push(message) });
  await query(server, "create table survivors as select 'committed' as word");
  const killed = server.pid();
  process.kill(killed, 'SIGKILL');
  expect(await until(() => query(server, 'select word from survivors'))).toEqual(['committed']);
  await until(() => messages.length === 3);
  expect(server.pid()).not.toBe(killed);
  expect(messages).toEqual([
    expect.stringMatching(new RegExp(`^Postgres is ready .*\\b${server.port}\\b.*\\b${killed}\\b`)),
    expect.stringContaining(`Postgres (process ${killed}) exited`),
    expect.stringMatching(new RegExp(`^Postgres restarted.*\\b${server.pid()}\\b`)),
  ]);
});

it('runs beside a second one', async () => {
  const [one, other] = await Promise.all([start(), start({ dataDir: folder.at('other') })]);
  expect(await query(one, 'select 1')).toEqual(await query(other, 'select 1'));
  expect(one.port).not.toBe(other.port);
});

it('rejects data that another Rollcall uses, and leaves that one running', async () => {
  const first = await start();
  const second = start({ predecessorWaitMs: 100 });
  await expect(second).rejects.toBeInstanceOf(StartupError);
  await expect(second).rejects.toThrow(/postgres is in use by another Rollcall \(process \d+\)/);
  expect(await query(first, 'select 1')).toEqual([1]);
});

it('rejects data under a postmaster without a lock of ours', async () => {
  const first = await start();
  await writeFile(`${dataDir}.lock`, '');
  const second = start({ predecessorWaitMs: 100 });
  await expect(second).rejects.toThrow(`is in use by another Rollcall (process ${first.pid()})`);
  expect(await query(first, 'select 1')).toEqual([1]);
});

it('starts despite the lock file of a crash whose process number is reused', async () => {
  await (await start()).stop();
  await writeFile(join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n0\n5432\n\n127.0.0.1\n\nready\n`);
  const server = await start();
  expect(await query(server, 'select 1')).toEqual([1]);
  expect(await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).toMatch(new RegExp(`^${server.pid()}\n`));
});

it('reports a port that is in use', async () => {
  const stranger = createServer().listen(0, '127.0.0.1');
  await until(() => stranger.listening);
  const { port } = stranger.address() as { port: number };
  const starting = start({ port });
  await expect(starting).rejects.toBeInstanceOf(StartupError);
  await expect(starting).rejects.toThrow(new RegExp(`${port}.*Postgres`));
  await new Promise((resolve) => stranger.close(resolve));
});

it('rejects the data folder of another major version', async () => {
  const old = folder.at('old');
  await mkdir(old);
  await writeFile(join(old, 'PG_VERSION'), '13\n');
  const starting = start({ dataDir: old });
  await expect(starting).rejects.toBeInstanceOf(StartupError);
  await expect(starting).rejects.toThrow(`${old} was created by Postgres 13`);
});

it('says what to do if initdb fails, and leaves nothing incomplete', async () => {
  const crowded = folder.at('crowded');
  await mkdir(crowded);
  await writeFile(join(crowded, 'letter.txt'), 'not a database');
  const starting = start({ dataDir: crowded });
  await expect(starting).rejects.toBeInstanceOf(StartupError);
  await expect(starting).rejects.toThrow(/set ROLLCALL_DATA_DIR to another/);
  expect(await readFile(join(crowded, 'letter.txt'), 'utf8')).toBe('not a database');
  expect((await readdir(folder.path)).filter((name) => name.startsWith('crowded'))).toEqual(['crowded']);
});

it('says what to do on a platform without binaries', async () => {
  await expect(findPostgresBinaries('plan9-mips')).rejects.toThrow('plan9-mips');
});
