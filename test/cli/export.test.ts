import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { parseLines } from '../support/snapshots.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { at, callRollcall, startRollcallCommand } from './run-rollcall.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  const { body: ada } = await directory.scim('POST', '/Users', { userName: 'ada@acme.example' });
  await directory.scim('POST', '/Groups', { displayName: 'All', members: [{ value: ada.id }] });
});
afterAll(() => service.stop());

const rollcall = (...args: string[]) => callRollcall(args, at(service));
const types = ['start', 'user', 'group', 'membership', 'end'];

it('prints all lines, or writes them to a file that only its owner can read', async () => {
  const printed = await rollcall('export', directory.id);
  expect([printed.code, printed.stderr, parseLines(printed.stdout).map(({ type }) => type)]).toEqual([0, '', types]);
  await using folder = await temporaryFolder();
  const file = folder.at('acme.jsonl');
  const written = await rollcall('export', directory.id, '--output', file);
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`Wrote 1 user, 1 group and 1 membership to ${file}`)]);
  expect(parseLines(await readFile(file, 'utf8')).slice(1)).toEqual(parseLines(printed.stdout).slice(1));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const json = await rollcall('export', directory.id, '--output', file, '--json');
  expect(JSON.parse(json.stdout)).toEqual({ file, sequence: 3, users: 1, groups: 1, memberships: 1 });
});

const typesIn = async (file: string) => parseLines(await readFile(file, 'utf8')).map(({ type }) => type);

it('replaces only the file, or what a link points to, and writes into a pipe', async () => {
  await using folder = await temporaryFolder();
  const [file, link, pipe] = [folder.at('acme.jsonl'), folder.at('link'), folder.at('pipe')];
  await writeFile(`${file}.partial`, 'of somebody else');
  await writeFile(file, 'before');
  await symlink(file, link);
  expect((await rollcall('export', directory.id, '--output', link)).code).toBe(0);
  expect([(await lstat(link)).isSymbolicLink(), await typesIn(file)]).toEqual([true, types]);
  expect(await readFile(`${file}.partial`, 'utf8')).toBe('of somebody else');
  execFileSync('mkfifo', [pipe]);
  const reading = typesIn(pipe);
  expect((await rollcall('export', directory.id, '--output', pipe)).code).toBe(0);
  expect([(await lstat(pipe)).isFIFO(), await reading]).toEqual([true, types]);
});

it('leaves no part when a signal ends it', async () => {
  const server = createServer((_request, response) => void response.write('{"type":"start"}\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using folder = await temporaryFolder();
  const file = folder.at('acme.jsonl');
  await writeFile(file, 'before');
  const hanging = at({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const command = startRollcallCommand(['export', directory.id, '--output', file], hanging);
    const partial = await until(async () => (await readdir(folder.path)).find((name) => name.endsWith('.partial')));
    expect((await stat(folder.at(partial))).mode & 0o777).toBe(0o600);
    command.signal(signal);
    expect((await command.ended).code).toBeNull();
    expect([await readdir(folder.path), await readFile(file, 'utf8')]).toEqual([['acme.jsonl'], 'before']);
  }
  server.closeAllConnections();
  server.close();
});

it('leaves no file when it fails', async () => {
  await using folder = await temporaryFolder();
  const unknown = await rollcall('export', '00000000-0000-7000-8000-000000000000', '--output', folder.at('none.jsonl'));
  expect([unknown.code, unknown.stdout]).toEqual([3, '']);
  expect(await readdir(folder.path)).toEqual([]);
  const nowhere = await rollcall('export', directory.id, '--output', folder.at('missing/acme.jsonl'));
  expect([nowhere.code, nowhere.stdout, nowhere.stderr]).toEqual([1, '', expect.stringContaining('ENOENT')]);
  expect((await rollcall('export')).code).toBe(2);
});
