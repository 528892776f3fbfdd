import { channel } from 'node:diagnostics_channel';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { agentFor, closeOpened, hostile, resolveNamesTo, ok, post } from '../support/webhook-attempts.ts';
import { until } from '../support/until.ts';

afterEach(closeOpened);

describe('the address guard', () => {
  it('rejects a name that resolves differently at the next connection (rebinding)', async () => {
    const receiver = await hostile((socket) => void socket.end(ok.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')));
    const names = resolveNamesTo(['127.0.0.1'], ['127.0.0.2']);
    const dispatcher = agentFor(['127.0.0.1/32'], names);
    const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
    expect(await post(url, { dispatcher })).toMatchObject({ outcome: 'success', details: { address: '127.0.0.1' } });
    const second = await post(url, { dispatcher });
    expect(second).toMatchObject({
      outcome: 'blocked',
      error: expect.stringContaining('rebinding.example (127.0.0.2)'),
    });
    expect(names.lookups).toHaveLength(2);
    expect(receiver.requests).toHaveLength(1);
  });

  it('connects only to the allowed addresses of a name', async () => {
    const receiver = await hostile((socket) => void socket.end(ok));
    const dispatcher = agentFor(['127.0.0.1/32'], resolveNamesTo(['127.0.0.2', '::1', '127.0.0.1', '10.0.0.1']));
    const url = receiver.url.replace('127.0.0.1', 'several.example');
    expect(await post(url, { dispatcher })).toMatchObject({ outcome: 'success', details: { address: '127.0.0.1' } });
  });

  it.each(['10.1.2.3', '169.254.169.254', '::ffff:7f00:1', '64:ff9b::7f00:1', 'fd00::1'])(
    'rejects a name that resolves to %s',
    async (address) => {
      const dispatcher = agentFor([], resolveNamesTo([address]));
      for (const host of ['service', 'hooks.example', 'localhost'])
        expect(await post(`http://${host}/`, { dispatcher })).toMatchObject({ outcome: 'blocked' });
    },
  );

  it('rejects a name without an address', async () => {
    expect(await post('http://empty.example/', { dispatcher: agentFor([], resolveNamesTo([])) })).toMatchObject({ outcome: 'blocked' });
  });

  it('accepts single-label names if their addresses are allowed', async () => {
    const { url } = await hostile((socket) => void socket.end(ok));
    const dispatcher = agentFor(['127.0.0.0/8'], resolveNamesTo(['127.0.0.1']));
    expect(await post(url.replace('127.0.0.1', 'receiver'), { dispatcher })).toMatchObject({ outcome: 'success' });
    expect(await post(url.replace('127.0.0.1', 'localhost'))).toMatchObject({ outcome: 'success' });
  });

  it('rejects a peer that differs from the requested address', async () => {
    const receiver = await hostile((socket) => void socket.end(ok));
    // The address of all interfaces leads to loopback.
    const result = await post(receiver.url.replace('127.0.0.1', '0.0.0.0'), { dispatcher: agentFor(['0.0.0.0/32']) });
    expect(result).toMatchObject({ outcome: 'blocked', error: expect.stringContaining('127.0.0.1') });
    await until(() => receiver.connections === 1);
    expect(receiver.requests).toEqual([]);
  });
});

describe('a server of Rollcall itself, whatever networks are allowed,', () => {
  const everywhere = ['0.0.0.0/0', '::/0'];
  /** Of names that not every machine knows. */
  const leadTo: Record<string, string> = { 'localhost.': '127.0.0.1', 'names.example': '127.0.0.1', 'names6.example': '::1' };
  it.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.8.9.10',
    '2130706433',
    '0177.0.0.1',
    '017700000001',
    '0x7f.0.0.1',
    '0x7f000001',
    '0.0.0.0',
    '0',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'names.example',
    'names6.example',
  ])('cannot be reached by %s', async (host) => {
    // On every address of this machine, IPv4 and IPv6.
    const receiver = await hostile((socket) => void socket.end(ok), '::');
    const port = Number(new URL(receiver.url).port);
    const url = receiver.url.replace('127.0.0.1', host);
    const leadsTo = leadTo[host];
    const names = leadsTo === undefined ? {} : resolveNamesTo([leadsTo]);
    expect(await post(url, { dispatcher: agentFor(everywhere, names) })).toMatchObject({ outcome: 'success' });
    const dispatcher = agentFor(everywhere, { ...names, ownPorts: new Set([port]) });
    expect(await post(url, { dispatcher })).toMatchObject({
      outcome: 'blocked',
      error: expect.stringContaining(`port ${port}`),
    });
    expect(receiver.requests).toHaveLength(1);
  });

  it('cannot be reached by an address of an interface of this machine', async () => {
    const receiver = await hostile((socket) => void socket.end(ok), '::');
    const port = Number(new URL(receiver.url).port);
    const addresses = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ scopeid = 0 }) => scopeid === 0)
      .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
    expect(addresses.length).toBeGreaterThan(0);
    const dispatcher = agentFor(everywhere, { ownPorts: new Set([port]) });
    for (const address of addresses)
      expect([address, await post(receiver.url.replace('127.0.0.1', address), { dispatcher })]).toMatchObject([
        address,
        { outcome: 'blocked', error: expect.stringContaining('Rollcall itself') },
      ]);
    expect(receiver.requests).toEqual([]);
  });

  it('cannot be reached by a redirect, which is not followed', async () => {
    const own = await hostile((socket) => void socket.end(ok));
    const receiver = await hostile(
      (socket) => void socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${own.url}\r\ncontent-length: 0\r\n\r\n`),
    );
    const dispatcher = agentFor(everywhere, { ownPorts: new Set([Number(new URL(own.url).port)]) });
    expect((await post(receiver.url, { dispatcher })).outcome).not.toBe('success');
    expect([receiver.requests.length, own.connections]).toEqual([1, 0]);
  });

  it('is told from other ports of this machine', async () => {
    const receiver = await hostile((socket) => void socket.end(ok));
    const dispatcher = agentFor(everywhere, { ownPorts: new Set([Number(new URL(receiver.url).port) + 1]) });
    expect(await post(receiver.url, { dispatcher })).toMatchObject({ outcome: 'success' });
  });
});

it('is not misled by requests of other code in the process', async () => {
  const { url } = await hostile((socket) => {
    channel('undici:client:sendHeaders').publish({ socket: { remoteAddress: '8.8.8.8' } });
    socket.write(ok);
  });
  expect(await post(url)).toMatchObject({ outcome: 'success', details: { address: '127.0.0.1' } });
});
