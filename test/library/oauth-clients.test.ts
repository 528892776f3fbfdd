import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rollcall, type Rollcall } from '../../src/library/index.ts';
import { expectRejectedWithinASecond } from '../support/rejected.ts';
import { startTestLibrary, type EmbeddedDirectory, type TestLibrary } from '../support/library.ts';
import { askForToken, ofClient } from '../support/oauth-clients.ts';

/** Without Temporal, each process keeps for a moment what it has read of a directory. */

let library: TestLibrary;
let another: Rollcall;
let server: Server;
let directory: EmbeddedDirectory;
beforeAll(async () => {
  library = await startTestLibrary();
  another = await rollcall(library.options);
  directory = await library.createDirectory();
  server = createServer((request, response) => void library.sync.handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await another.stop();
  await library.stop();
});

async function createClientAndToken() {
  const { data } = await library.sync.scimClients.create(directory.id, { name: 'a' });
  const { port } = server.address() as AddressInfo;
  const ask = () => askForToken({ baseUrl: `http://127.0.0.1:${port}` }, ofClient({ id: data!.client_id, secret: data!.client_secret }));
  return { id: data!.client_id, token: (await ask()).body.access_token as string };
}

const read = (apiSecret: string, by = another) =>
  by.requests.handle({ method: 'GET', directoryId: directory.id, resourceType: 'users', apiSecret });

it('accepts a token in every process immediately, also in one that knows the directory already', async () => {
  for (let count = 0; count < 3; count += 1) {
    expect((await read(directory.secret)).status).toBe(200);
    const { token } = await createClientAndToken();
    expect((await read(token)).status).toBe(200);
  }
});

it('rejects the tokens of a revoked client in every process within a second', async () => {
  const { id, token } = await createClientAndToken();
  expect([(await read(token)).status, (await read(token, library.sync)).status]).toEqual([200, 200]);
  const { data } = await library.sync.scimClients.revoke(directory.id, id);
  const rejected = expectRejectedWithinASecond(() => read(token));
  expect(data!.revoked_at).toEqual(expect.any(String));
  expect((await read(token, library.sync)).status).toBe(401);
  await rejected;
});
