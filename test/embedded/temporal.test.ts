import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { packageRoot } from '../../src/paths.ts';
import { StartupError } from '../../src/errors.ts';
import { type EmbeddedTemporal, type EmbeddedTemporalOptions, findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

let command: string;
const running: EmbeddedTemporal[] = [];
let data: TemporaryFolder;
let files = 0;
beforeAll(async () => {
  data = await temporaryFolder();
  command = await findTemporal({
    binary: process.env['TEMPORAL_BINARY'],
    path: process.env['PATH'],
    root: packageRoot,
  });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.kill()));
});
afterAll(async () => data[Symbol.asyncDispose]());

async function start(options: Partial<EmbeddedTemporalOptions> = {}): Promise<EmbeddedTemporal> {
  const databaseFile = data.at(`${(files += 1)}.db`);
  const server = await startTemporal({ command, databaseFile, searchAttributes: { DirectoryIds: 'KeywordList' }, ...options });
  running.push(server);
  return server;
}

/** A new server opens its port a moment before it responds. */
async function ask<T>(server: EmbeddedTemporal, question: (connection: Connection) => Promise<T>) {
  return until(async () => {
    const connection = await Connection.connect({ address: server.address, connectTimeout: 5_000 });
    try {
      return await question(connection);
    } finally {
      await connection.close();
    }
  });
}
const startWorkflow = (workflowId: string) => (connection: Connection) =>
  new Client({ connection }).workflow.start('unknown', { workflowId, taskQueue: 'nobody' });
const describeWorkflow = (workflowId: string) => async (connection: Connection) =>
  (await new Client({ connection }).workflow.getHandle(workflowId).describe()).workflowId;
const describeNamespace = (namespace: string) => async (connection: Connection) =>
  (await connection.workflowService.describeNamespace({ namespace })).namespaceInfo?.name;

it('has the configured search attributes', async () => {
  const server = await start({ searchAttributes: { DirectoryIds: 'KeywordList', Tenant: 'Keyword' } });
  const { customAttributes } = await ask(server, (connection) => connection.operatorService.listSearchAttributes({ namespace: 'default' }));
  expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(['DirectoryIds', 'Tenant']));
});

it('keeps its data across a stop, and across a kill after which it runs on the same port', async () => {
  await using folder = await temporaryFolder();
  const messages: string[] = [];
  const options = { databaseFile: folder.at('temporal.db'), log: (message: string) => void messages.push(message) };
  const first = await start(options);
  await ask(first, startWorkflow('kept'));
  await first.stop();
  const second = await start(options);
  expect(await ask(second, describeWorkflow('kept'))).toBe('kept');
  const killed = second.pid();
  process.kill(killed, 'SIGKILL');
  expect(await ask(second, describeWorkflow('kept'))).toBe('kept');
  await until(() => second.pid() !== killed && messages.length === 4);
  expect(messages.slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^Temporal is ready .*\\b${second.port}\\b.*\\b${killed}\\b`)),
    expect.stringContaining(`Temporal (process ${killed}) exited`),
    expect.stringMatching(new RegExp(`^Temporal restarted.*\\b${second.pid()}\\b`)),
  ]);
});

it('rejects data that another Rollcall uses, and leaves that one running', async () => {
  await using folder = await temporaryFolder();
  const databaseFile = folder.at('temporal.db');
  const first = await start({ databaseFile });
  const second = start({ databaseFile, predecessorWaitMs: 100 });
  await expect(second).rejects.toBeInstanceOf(StartupError);
  await expect(second).rejects.toThrow(/temporal\.db is in use by another Rollcall \(process \d+\)/);
  expect(await ask(first, describeNamespace('default'))).toBe('default');
});

it('runs beside a second one', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  expect(await ask(one, describeNamespace('default'))).toBe('default');
  expect(await ask(other, describeNamespace('default'))).toBe('default');
});

it('reports a port that is in use', async () => {
  const stranger = createServer().listen(0, '127.0.0.1');
  await until(() => stranger.listening);
  const { port } = stranger.address() as { port: number };
  const starting = start({ port });
  await expect(starting).rejects.toBeInstanceOf(StartupError);
  await expect(starting).rejects.toThrow(new RegExp(`${port}.*Temporal`));
  await new Promise((resolve) => stranger.close(resolve));
});

it('reports why a binary does not start', async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.at('temporal'), '#!/bin/sh\necho "wrong architecture" >&2\nexit 7\n', { mode: 0o755 });
  const starting = start({ command: folder.at('temporal') });
  await expect(starting).rejects.toBeInstanceOf(StartupError);
  await expect(starting).rejects.toThrow(/ 7 .*wrong architecture/);
});
