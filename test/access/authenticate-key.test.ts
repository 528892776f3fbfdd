import { expect, it } from '@jest/globals';
import { crc32 } from 'node:zlib';
import { createKeyAuthentication } from '../../src/access/authenticate-key.ts';
import { createKeyValue, readKeyValue } from '../../src/access/key-value.ts';
import type { ApiKey, KeyWithValue } from '../../src/access/ports.ts';

const address = '192.0.2.1';
const key: ApiKey = {
  id: 'a',
  name: 'test',
  scopes: ['people:read'],
  narrowed: {},
  allowedNetworks: undefined,
  expiresAt: undefined,
  lastUsedAt: undefined,
  createdAt: new Date(),
  createdBy: 'root_1',
  revokedAt: undefined,
  prefix: '',
};

function createWithKey(value: string, more: Partial<ApiKey> = {}) {
  const reads: string[] = [];
  const noted: string[] = [];
  let stored: KeyWithValue | undefined = { key: { ...key, ...more }, hash: readKeyValue(value)!.hash, valueExpiresAt: undefined };
  const authentication = createKeyAuthentication({
    store: {
      findByPrefix(prefix) {
        reads.push(prefix);
        return Promise.resolve(prefix === value.slice(0, 12) ? stored : undefined);
      },
    },
    noteUseSoon: (id) => noted.push(id),
  });
  return { ...authentication, reads, noted, removeKey: () => (stored = undefined) };
}

it('looks up a key once for concurrent requests, and records its use once', async () => {
  const value = createKeyValue();
  const { authenticate, reads, noted } = createWithKey(value);
  const found = await Promise.all(Array.from({ length: 50 }, () => authenticate(value, address)));
  expect(new Set(found).size).toBe(1);
  expect(found[0]).toMatchObject({ type: 'api_key', id: 'a', name: 'test' });
  expect([reads, noted]).toEqual([[value.slice(0, 12)], ['a']]);
});

it('does not look up malformed keys, and caches that a key does not exist', async () => {
  const value = createKeyValue();
  const { authenticate, reads } = createWithKey(value);
  for (const given of ['', 'wrong', 'rcl_', value.slice(0, -1), `${value}0`, value.toLowerCase()])
    expect(await authenticate(given, address)).toBeInstanceOf(Error);
  expect(reads).toEqual([]);
  const other = createKeyValue();
  for (let count = 0; count < 3; count += 1) expect(await authenticate(other, address)).toMatchObject({ code: 'unauthorized' });
  expect(reads).toEqual([other.slice(0, 12)]);
});

it('discloses nothing about a key to a caller with only its public part', async () => {
  const value = createKeyValue();
  const { authenticate } = createWithKey(value, { revokedAt: new Date() });
  expect(await authenticate(value, address)).toMatchObject({ code: 'key_revoked' });
  // The same public part, with a checksum that fits.
  let guessed = createKeyValue();
  const random = `${value.slice(4, 12)}${guessed.slice(12, 34)}`;
  guessed = `rcl_${random}${checksumOf(random)}`;
  const unknown = await authenticate(createKeyValue(), address);
  expect(await authenticate(guessed, address)).toEqual(unknown);
});

it('reads a key again immediately in the process that changed it', async () => {
  const value = createKeyValue();
  const { authenticate, invalidate, removeKey, reads } = createWithKey(value);
  await authenticate(value, address);
  removeKey();
  invalidate();
  expect(await authenticate(value, address)).toMatchObject({ code: 'unauthorized' });
  expect(reads).toHaveLength(2);
});

it('does not cache a failed lookup', async () => {
  const value = createKeyValue();
  let fails = true;
  const { authenticate } = createKeyAuthentication({
    store: {
      findByPrefix: () =>
        fails ? Promise.reject(new Error('down')) : Promise.resolve({ key, hash: readKeyValue(value)!.hash, valueExpiresAt: undefined }),
    },
    noteUseSoon: () => undefined,
  });
  await expect(authenticate(value, address)).rejects.toThrow('down');
  fails = false;
  expect(await authenticate(value, address)).toMatchObject({ id: 'a' });
});

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function checksumOf(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let place = 0; place < 6; place += 1) [text, rest] = [digits[rest % 62]! + text, Math.floor(rest / 62)];
  return text;
}
