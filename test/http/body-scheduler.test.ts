import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import type { Context } from 'koa';
import { until } from '../support/until.ts';
import { type BodyScheduler, createBodyScheduler, releaseBody } from '../../src/http/server/body/body-limits.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server whose requests wait for their turn. `/a/1` is the first request of directory a. */
async function start(begin: keyof BodyScheduler) {
  const turns = createBodyScheduler();
  const waiting: string[] = [];
  const begun: string[] = [];
  const dropped: string[] = [];
  const ends = new Map<string, () => void>();
  server = createServer((req, res) => {
    const ctx = { req, res } as Context;
    const name = req.url!.slice(1);
    waiting.push(name);
    ends.set(name, () => {
      releaseBody(ctx);
      res.end();
    });
    void turns[begin](ctx, name.split('/')[0]!)
      .then(() => begun.push(name))
      .catch(() => {
        releaseBody(ctx);
        return dropped.push(name);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = async (name: string) => {
    const sent = request({ port: (server!.address() as AddressInfo).port, path: `/${name}`, agent: false });
    sent.on('error', () => undefined);
    sent.end();
    await until(() => waiting.includes(name));
    return { leave: () => sent.destroy() };
  };
  return { ask, begun, dropped, waiting, end: (name: string) => ends.get(name)!() };
}

it('processes one body at a time, and directories take turns', async () => {
  const { ask, begun, end } = await start('beginProcessing');
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1']) await ask(name);
  for (const expected of [['a/1'], ['a/1', 'a/2'], ['a/1', 'a/2', 'b/1'], ['a/1', 'a/2', 'b/1', 'a/3']]) {
    await until(() => begun.length === expected.length);
    expect(begun).toEqual(expected);
    end(expected.at(-1)!);
  }
});

it('reads eight bodies of a directory concurrently, independently of others', async () => {
  const { ask, begun, end } = await start('beginReading');
  for (let number = 1; number <= 10; number += 1) await ask(`a/${number}`);
  await ask('b/1');
  await until(() => begun.length === 9);
  expect(begun.filter((name) => name.startsWith('a'))).toHaveLength(8);
  end('a/3');
  await until(() => begun.includes('a/9'));
});

it('lets 64 bodies of a directory wait to be read, and rejects one more', async () => {
  const { ask, begun, dropped, waiting } = await start('beginReading');
  await Promise.all(Array.from({ length: 72 }, (_, number) => ask(`a/${number}`)));
  await ask('a/too-many');
  await until(() => dropped.includes('a/too-many'));
  expect([begun.length, dropped.length, waiting.length]).toEqual([8, 1, 73]);
  await ask('b/1');
  await until(() => begun.includes('b/1'));
});

it('gives one of the 128 places to a directory that has fewer, and keeps reading the others', async () => {
  const { ask, begun, dropped, end } = await start('beginReading');
  for (const directory of ['a', 'b']) await Promise.all(Array.from({ length: 72 }, (_, number) => ask(`${directory}/${number}`)));
  await Promise.all(Array.from({ length: 8 }, (_, number) => ask(`c/${number}`)));
  expect([begun.length, dropped.length]).toEqual([24, 0]);
  await ask('c/8');
  await until(() => dropped.length === 1);
  expect(dropped[0]).toMatch(/^[ab]/);
  const leaver = await ask('c/9');
  await until(() => dropped.length === 2);
  // A request that leaves frees its place, so the next one displaces none.
  leaver.leave();
  await until(() => dropped.includes('c/9'));
  await ask('c/10');
  end('c/0');
  await until(() => begun.includes('c/8'));
  end('c/1');
  await until(() => begun.includes('c/10'));
  // No displaced request holds a turn or ends one twice.
  for (const name of dropped) end(name);
  const own = () => begun.filter((name) => name.startsWith('a'));
  const [first] = own();
  expect(own()).toHaveLength(8);
  end(first!);
  await until(() => own().length === 9);
  expect([begun.length, dropped.length]).toEqual([27, 3]);
});

it('drops a body whose caller has left, also in the moment before its turn', async () => {
  const { ask, begun, dropped, end } = await start('beginProcessing');
  await ask('a/1');
  const [second, third] = [await ask('a/2'), await ask('a/3')];
  await ask('a/4');
  second.leave();
  await until(() => dropped.includes('a/2'));
  third.leave();
  end('a/1');
  await until(() => begun.includes('a/4'));
  expect([begun, dropped]).toEqual([
    ['a/1', 'a/4'],
    ['a/2', 'a/3'],
  ]);
});
