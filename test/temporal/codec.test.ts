import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createKeyring } from '../../src/keyring.ts';
import { createCodec } from '../../src/temporal/codec.ts';

const codec = createCodec(createKeyring([randomBytes(32)]));
const text = (value: string) => new Uint8Array(Buffer.from(value));

it.each([
  ['a value', { metadata: { encoding: text('json/plain'), more: text('x') }, data: text('"ada@example.com"') }],
  ['nothing, as protobuf writes it', { metadata: { encoding: text('binary/null') }, data: [] as unknown as Uint8Array }],
  ['no data at all', { metadata: { encoding: text('binary/null') }, data: null }],
])('gives back %s, and hides it in between', async (_title, payload) => {
  const [sealed] = await codec.encode([payload]);
  expect(Buffer.from(sealed!.data!).includes('ada@')).toBe(false);
  expect(Object.keys(sealed!.metadata!)).toEqual(['encoding']);
  const [opened] = await codec.decode([sealed!]);
  expect(opened!.metadata).toEqual(payload.metadata);
  expect(Buffer.from(opened!.data!)).toEqual(Buffer.from(payload.data ?? []));
});

it('lets pass what it did not seal', async () => {
  const plain = { metadata: { encoding: text('json/plain') }, data: text('1') };
  expect(await codec.decode([plain])).toEqual([plain]);
});
