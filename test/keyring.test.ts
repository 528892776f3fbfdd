import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createKeyring, UnknownKeyError } from '../src/keyring.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

it('decrypts what it sealed, which reveals nothing and is never the same twice', () => {
  const ring = createKeyring([newKey]);
  const sealed = ring.sealText('a secret', 'here');
  expect(Buffer.from(sealed, 'base64url').includes('a secret')).toBe(false);
  expect(ring.sealText('a secret', 'here')).not.toBe(sealed);
  expect(ring.openText(sealed, 'here')).toBe('a secret');
});

it('decrypts nothing in another context than it was sealed for', () => {
  const ring = createKeyring([newKey]);
  expect(() => ring.openText(ring.sealText('a secret', 'here'), 'there')).toThrow(/unable to authenticate/);
});

it('decrypts nothing that was changed', () => {
  const ring = createKeyring([newKey]);
  const sealed = ring.seal(Buffer.from('a secret'), 'here');
  sealed[sealed.length - 1]! ^= 1;
  expect(() => ring.open(sealed, 'here')).toThrow(/unable to authenticate/);
});

it('encrypts with the first key and decrypts with all', () => {
  const before = createKeyring([oldKey]).sealText('a secret', 'here');
  const rotated = createKeyring([newKey, oldKey]);
  expect(rotated.openText(before, 'here')).toBe('a secret');
  const after = rotated.sealText('a secret', 'here');
  expect(createKeyring([newKey]).openText(after, 'here')).toBe('a secret');
  expect(() => createKeyring([oldKey]).openText(after, 'here')).toThrow(UnknownKeyError);
});
