import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { packageRoot } from '../../src/paths.ts';
import { findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { findDatabaseFault } from '../../src/embedded/temporal-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** What a server does that answers each call with this error. */
async function ask(error: { code: number; message: string }) {
  let calls = 0;
  const server = createServer().listen(0, '127.0.0.1');
  server.on('stream', (stream) => {
    calls += 1;
    const outcome = { 'grpc-status': String(error.code), 'grpc-message': error.message };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...outcome }, { endStream: true });
  });
  await once(server, 'listening');
  try {
    const fault = await findDatabaseFault(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    return { fault, calls };
  } finally {
    server.close();
  }
}

it('finds a database whose queries are all interrupted', async () => {
  const { fault, calls } = await ask({ code: 14, message: 'GetNamespace operation failed. Error interrupted (9)' });
  expect(fault).toMatch(/^its database answers nothing any more \(14 UNAVAILABLE: GetNamespace .* interrupted \(9\)\)\.$/);
  expect(calls).toBe(3);
});

it.each([
  { code: 14, message: 'the server is starting' },
  { code: 8, message: 'too many requests' },
  { code: 4, message: 'deadline exceeded' },
])('finds no fault in a server that answers $message', async (error) => {
  expect(await ask(error)).toEqual({ fault: undefined, calls: 1 });
});

it('finds no fault in a server that is away', async () => {
  expect(await findDatabaseFault('127.0.0.1:1')).toBeUndefined();
});

it('answers after many queries were given up', async () => {
  await using folder = await temporaryFolder();
  const command = await findTemporal({ binary: process.env['TEMPORAL_BINARY'], path: process.env['PATH'], root: packageRoot });
  const server = await startTemporal({ command, databaseFile: folder.at('temporal.db'), searchAttributes: {} });
  const connection = Connection.lazy({ address: server.address, interceptors: [] });
  const describe = () => connection.workflowService.describeNamespace({ namespace: 'default' });
  try {
    await until(describe);
    const end = Date.now() + 5_000;
    const results = { answered: 0, givenUp: 0 };
    const hurry = async () => {
      for (let answerWithinMs = 1; Date.now() < end; answerWithinMs = (answerWithinMs % 12) + 1) {
        await connection.withDeadline(Date.now() + answerWithinMs, describe).then(
          () => (results.answered += 1),
          () => (results.givenUp += 1),
        );
      }
    };
    await Promise.all(Array.from({ length: 8 }, hurry));
    expect(results.givenUp).toBeGreaterThan(0);
    await until(describe);
  } finally {
    await connection.close();
    await server.kill();
  }
});
