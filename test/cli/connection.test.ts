import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { publishAddress } from '../../src/embedded/running-servers.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { runRollcall } from './run-rollcall.ts';

let folder: TemporaryFolder;
let received: { url: string | undefined; authorization: string | undefined }[] = [];
let status = 200;
const server = createServer((request, response) => {
  received.push({ url: request.url, authorization: request.headers.authorization });
  const error = status === 200 ? null : { code: status === 401 ? 'unauthorized' : 'unavailable', message: 'A sentence.' };
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 503 && { 'retry-after': '3' }) });
  response.end(JSON.stringify({ data: error ? null : { sso_connections: 0, dsync_connections: 4, identity_federation_apps: 0 }, error }));
});
let port: number;
let url: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
  url = `http://127.0.0.1:${port}`;
  await mkdir(folder.at('running', '.rollcall'), { recursive: true });
  await writeFile(folder.at('running', '.rollcall', 'api-key'), 'from-folder\n');
  await mkdir(folder.at('settings'));
  await writeFile(folder.at('settings', '.env'), `PORT=${port}\nAPI_KEYS=first-of-env,second\n`);
  await mkdir(folder.at('bare'));
});
afterAll(async () => {
  server.close();
  await folder[Symbol.asyncDispose]();
});
beforeEach(() => {
  received = [];
  status = 200;
});

const stats = (place: string, args: string[] = [], env: Record<string, string> = {}) =>
  runRollcall(['stats', ...args], { folder: folder.at(place), env });
const keys = () => received.map(({ authorization }) => authorization);

describe('the service and its API key', () => {
  it('are those of the service in this folder', async () => {
    expect((await stats('running', [], { PORT: String(port) })).code).toBe(0);
    expect(keys()).toEqual(['Api-Key from-folder']);
  });

  it('are those of the running service in this folder, on any port', async () => {
    await mkdir(folder.at('started', '.rollcall'), { recursive: true });
    await writeFile(folder.at('started', '.rollcall', 'api-key'), 'from-folder\n');
    const takeBack = await publishAddress(folder.at('started', '.rollcall'), url, '127.0.0.1:7233');
    const unreachable = { PORT: String(await findFreePort()) };
    expect((await stats('started', [], unreachable)).code).toBe(0);
    expect(keys()).toEqual(['Api-Key from-folder']);
    await takeBack();
    expect((await stats('started', [], unreachable)).code).toBe(5);
  });

  it('are not those of a service that was killed', async () => {
    await mkdir(folder.at('killed', '.rollcall'), { recursive: true });
    await writeFile(folder.at('killed', '.rollcall', 'address'), `${url}\n${process.pid} 1\n`);
    const { code, stderr } = await stats('killed');
    expect([code, stderr, received]).toEqual([4, expect.stringContaining('http://127.0.0.1:5225'), []]);
  });

  it('come from .env', async () => {
    expect((await stats('settings')).stdout).toBe('Directories  4\n');
    expect(keys()).toEqual(['Api-Key first-of-env']);
  });

  it('come from options first, then from the environment', async () => {
    const env = { ROLLCALL_URL: url, ROLLCALL_API_KEY: 'from-environment' };
    await stats('settings', [], env);
    await writeFile(folder.at('key'), '  from-file \n');
    await stats('settings', ['--api-key-file', folder.at('key')], env);
    await stats('settings', ['--api-key', 'typed', '--url', `${url}/`], env);
    expect(keys()).toEqual(['Api-Key from-environment', 'Api-Key from-file', 'Api-Key typed']);
  });

  it('belong together: a key from this folder is not sent to another machine', async () => {
    const { code, stderr } = await stats('running', ['--url', 'http://rollcall.invalid']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('http://rollcall.invalid')]);
  });

  it('are requested in one sentence if there are none', async () => {
    const { code, stdout, stderr } = await stats('bare');
    expect([code, stdout, stderr]).toEqual([4, '', expect.stringContaining('http://127.0.0.1:5225')]);
  });
});

describe('the exit code', () => {
  it('is 4 for a rejected key, with one sentence that does not show the key', async () => {
    status = 401;
    const { code, stdout, stderr } = await stats('bare', ['--url', url, '--api-key', 'wrong-key']);
    expect([code, stdout, stderr]).toEqual([4, '', expect.stringMatching(/^[^\n]*--api-key[^\n]*\n$/)]);
    expect(stderr).not.toContain('wrong-key');
  });

  it('is 5 for a service that does not respond, with its URL', async () => {
    const unreachable = `http://127.0.0.1:${await findFreePort()}`;
    const { code, stdout, stderr } = await stats('bare', ['--url', unreachable, '--api-key', 'k']);
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringContaining(`${unreachable} (ECONNREFUSED)`)]);
  });

  it('is 5 for a busy service, with the time to wait', async () => {
    status = 503;
    const { code, stderr } = await stats('bare', ['--url', url, '--api-key', 'k']);
    expect([code, stderr]).toEqual([5, expect.stringContaining(' 3 s')]);
  });

  it('is 0 for help, which lists all exit codes', async () => {
    const { code, stdout } = await runRollcall(['help', 'exit-codes']);
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}(\d) {2}/gm)?.map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
