import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LookupAll } from '../../src/webhooks/fair-lookup.ts';
import { createGuardedAgent, parseNetworks } from '../../src/webhooks/address-guard.ts';
import { agentFor, closeLater, closeOpened, endless, hostile, resolveNamesTo, ok, post, secure } from '../support/webhook-attempts.ts';
import { createIdentity, startHostileReceiver, startTlsReceiver } from '../support/hostile-receiver.ts';
import { startReceiver } from '../support/receiver.ts';

afterEach(closeOpened);

const isOwnPortSlowly = () => new Promise<boolean>((resolve) => setTimeout(resolve, 5_500, false));

describe('a failed connection', () => {
  it.each([
    ['is reset before the response', '', 'connect'],
    ['ends within the headers', 'HTTP/1.1 200 OK\r\nx-a: ', 'connect'],
    ['ends within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab', 'connect'],
    ['ends within a chunk', `${endless}5\r\nab`, 'connect'],
    ['ends within a chunk of its last response', endless.replace('\r\n', '\r\nconnection: close\r\n') + '5\r\nab', 'connect'],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n', 'http_error'],
    ['has the status 000', 'HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n', 'http_error'],
    ['breaks its chunks', `${endless}zz\r\n`, 'http_error'],
    ['has headers without end', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}`, 'http_error'],
    ['has NUL in a header', 'HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n', 'http_error'],
    ['requests an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'connect'],
  ])('is reported if it %s', async (_, bytes, outcome) => {
    const { url } = await hostile((socket) => {
      if (bytes === '') socket.resetAndDestroy();
      else socket.end(bytes, 'latin1');
    });
    expect(await post(url)).toMatchObject({ outcome });
  });

  it('is reported if nothing accepts it', async () => {
    const receiver = await startHostileReceiver(() => undefined);
    await receiver.close();
    const result = await post(receiver.url);
    expect(result).toMatchObject({ outcome: 'connect' });
    expect(result.details).not.toHaveProperty('address');
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], resolveNamesTo(['127.0.0.1', '::1']));
    const byName = await post(receiver.url.replace('127.0.0.1', 'both.example'), { dispatcher });
    expect(byName).toMatchObject({ outcome: 'connect' });
  });

  it.each([['ENOTFOUND'], ['EAI_AGAIN']])('is reported if the name lookup fails (%s)', async (code) => {
    const failing = ((_name: string, _options: unknown, callback: (error: Error) => void) =>
      callback(Object.assign(new Error(code), { code }))) as unknown as LookupAll;
    const result = await post('http://hooks.example/', { dispatcher: agentFor(undefined, { lookup: failing }) });
    expect(result).toMatchObject({ outcome: 'dns' });
  });

  it('is reported if the name has no address', async () => {
    expect(await post('http://nowhere.invalid/')).toMatchObject({ outcome: 'dns' });
  });
});

describe('over TLS', () => {
  it('delivers to a trusted certificate, by name', async () => {
    const identity = createIdentity();
    const { url } = await secure(identity);
    const result = await post(url, { dispatcher: agentFor(['127.0.0.0/8', '::1/128'], { ca: identity.cert }) });
    expect(result).toMatchObject({ outcome: 'success', details: { address: '127.0.0.1', responseBody: 'ok' } });
    expect(Object.keys(result.details.timings)).toEqual(['dnsMs', 'connectMs', 'firstByteMs', 'totalMs']);
  });

  it.each([
    ['is self-signed', createIdentity(), undefined, /self-signed/],
    ['is for another name', createIdentity(2049, 'other.example'), 'trusted', /is for another name/],
    ['has expired', createIdentity(2021), 'trusted', /has expired/],
  ])('sends nothing if the certificate %s', async (_, identity, trusted, error) => {
    const receiver = await secure(identity);
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], trusted ? { ca: identity.cert } : {});
    expect(await post(receiver.url, { dispatcher })).toMatchObject({ outcome: 'tls', error: expect.stringMatching(error) });
    expect(receiver.requests).toEqual([]);
  });

  it.each([
    { ciphers: 'DHE-RSA-AES128-GCM-SHA256', outcome: 'tls' },
    { ciphers: 'DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256', outcome: 'success' },
  ])('does not accept Diffie-Hellman groups that a receiver chooses, which may take long: $ciphers', async ({ ciphers, outcome }) => {
    const identity = createIdentity(2049, 'localhost', 'rsa');
    const receiver = await secure({ ...identity, ciphers, dhparam: 'auto', maxVersion: 'TLSv1.2', honorCipherOrder: true });
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], { ca: identity.cert });
    expect((await post(receiver.url, { dispatcher })).outcome).toBe(outcome);
  });

  it.each([
    { characters: 6_500, error: /self-signed/ },
    { characters: 9_000, error: /24 KiB/ },
  ])('does not verify certificates of more than 24 KiB: three names of $characters characters', async ({ characters, error }) => {
    const receiver = await secure(createIdentity(2049, 'a'.repeat(characters)));
    const result = await post(receiver.url, { dispatcher: agentFor(['127.0.0.0/8', '::1/128']) });
    expect(result).toMatchObject({ outcome: 'tls', error: expect.stringMatching(error) });
  });

  it('does not begin another handshake when a receiver asks for it', async () => {
    const identity = createIdentity();
    const { url } = closeLater(await startTlsReceiver(renegotiate, { ...identity, maxVersion: 'TLSv1.2' }));
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], { ca: identity.cert });
    expect((await post(url, { dispatcher, timeoutMs: 1_000 })).outcome).not.toBe('success');
  });

  it('limits the time to connect over TCP and TLS together', async () => {
    const silent = await hostile(() => undefined);
    const dispatcher = createGuardedAgent(parseNetworks(['127.0.0.0/8', '::1/128']), 6_000, { ownPorts: { has: isOwnPortSlowly } });
    closeLater({ close: () => dispatcher.destroy() });
    const result = await post(silent.url.replace('http:', 'https:'), { dispatcher, timeoutMs: 60_000 });
    expect(result).toMatchObject({ outcome: 'timeout' });
    expect(result.details.timings.totalMs).toBeLessThan(11_000);
  });

  it('distinguishes https from http', async () => {
    const plain = closeLater(await startReceiver());
    const asSecure = await post(plain.url.replace('http:', 'https:'));
    expect(asSecure).toMatchObject({ outcome: 'tls' });
    const receiver = await secure();
    const asPlain = await post(receiver.url.replace('https:', 'http:'), { dispatcher: agentFor(['127.0.0.0/8', '::1/128']) });
    expect(asPlain.outcome).toMatch(/^(http_error|connect)$/);
    expect(receiver.requests).toEqual([]);
  });
});

it('continues over a new connection after the receiver has closed the old one', async () => {
  const receiver = await hostile((socket) => void socket.end(ok));
  const dispatcher = agentFor();
  for (let count = 1; count <= 5; count++) expect(await post(receiver.url, { dispatcher })).toMatchObject({ outcome: 'success' });
  expect(receiver.requests).toHaveLength(5);
});

/** Responds only after another handshake. */
function renegotiate(socket: Socket): void {
  (socket as TLSSocket).renegotiate({}, (error) => void (error ?? socket.write(ok)));
}
