import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createAcceptFirst } from '../../src/http/server/connections/accept-first.ts';
import { until } from '../support/until.ts';

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

/** The clock moves only when a test moves it. */
async function start(handler: RequestListener, now = () => 0) {
  const acceptFirst = createAcceptFirst(handler, now);
  server = createServer(acceptFirst.handle);
  acceptFirst.watch(server);
  let accepted = 0;
  server.on('connection', () => (accepted += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { accepted: () => accepted };
}

function ask(directory: string, number: number): Socket {
  const socket = connect({ host: '127.0.0.1', port: (server!.address() as AddressInfo).port });
  socket.on('error', () => undefined);
  socket.write(`GET /api/scim/v2.0/${directory}/${number} HTTP/1.1\r\nHost: x\r\n\r\n`);
  sockets.push(socket);
  return socket;
}

it('begins no request before all connections that arrived with it are accepted', async () => {
  const acceptedAtBegin: number[] = [];
  const { accepted } = await start(() => void acceptedAtBegin.push(accepted()));
  for (let number = 0; number < 100; number += 1) ask('a', number);
  await until(() => acceptedAtBegin.length === 100);
  expect(acceptedAtBegin[0]).toBe(100);
});

it('begins one request of each directory in turn, in order within a directory', async () => {
  const begun: string[] = [];
  await start(({ url }) => void begun.push(url!.split('/').slice(-2).join('')));
  for (let number = 0; number < 60; number += 1) ask('a', number);
  for (let number = 0; number < 3; number += 1) ask('b', number);
  await until(() => begun.length === 63);
  expect(begun.slice(0, 7)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3']);
  expect(begun.filter((one) => one.startsWith('a'))).toEqual(Array.from({ length: 60 }, (_, number) => `a${number}`));
});

it('begins requests after 200 ms although connections keep arriving', async () => {
  let nowMs = 0;
  const begun: string[] = [];
  await start(
    ({ url }) => void begun.push(url!),
    () => nowMs,
  );
  server!.on('connection', () => {
    nowMs += 50;
    if (begun.length === 0) ask('a', nowMs);
  });
  for (const number of [1, 2, 3]) ask('a', number);
  await until(() => begun.length > 0);
  expect(nowMs).toBeGreaterThanOrEqual(200);
});

it('does not begin a request whose caller has left', async () => {
  const begun: string[] = [];
  await start(({ url }, response) => {
    begun.push(url!);
    response.end();
  });
  const leaving = Array.from({ length: 20 }, (_, number) => ask('gone', number));
  const staying = Array.from({ length: 20 }, (_, number) => ask('here', number));
  await Promise.all(leaving.map((socket) => once(socket, 'connect')));
  for (const socket of leaving) socket.resetAndDestroy();
  await Promise.all(staying.map((socket) => once(socket, 'data')));
  expect(begun.filter((url) => url.includes('here'))).toHaveLength(20);
  expect(begun.filter((url) => url.includes('gone'))).toEqual([]);
});

it('begins a request on an open connection immediately', async () => {
  let begun = 0;
  await start((_request, response) => {
    begun += 1;
    response.end();
  });
  const socket = ask('a', 0);
  await once(socket, 'data');
  await new Promise(setImmediate);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  expect(begun).toBe(2);
});
