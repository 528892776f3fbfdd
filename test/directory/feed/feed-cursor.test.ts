import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Feed } from '../../../src/directory/feed/ports.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createCursorSeal } from '../../../src/app/storage.ts';
import { type FeedCursor, createFeedCursors } from '../../../src/directory/feed/event-feed.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const cursorsOf = (...keys: Buffer[]) => createFeedCursors(createCursorSeal(createKeyring(keys)));
const cursors = cursorsOf(oldKey);
const id = '01a1fd46-beef-7978-b244-a1855f394770';
const feeds: Feed[] = [
  undefined,
  { directoryId: id },
  { directoryId: id.replace('01', '02') },
  { tenant: 'a', product: 'b' },
  { tenant: 'b', product: 'a' },
  { tenant: 'a', product: 'b","c' },
];
const cursor: FeedCursor = { place: { sequence: 7 }, from: undefined };

it('reads a cursor back, for the same feed only', () => {
  for (const written of feeds) {
    const text = cursors.write(cursor, written);
    expect(text).toMatch(/^[\w-]+$/);
    expect(cursors.read(text, written)).toEqual(cursor);
    for (const read of feeds.filter((feed) => feed !== written))
      expect(() => cursors.read(text, read)).toThrow(expect.objectContaining({ code: 'invalid_request', field: 'after' }));
  }
});

it('keeps the place across directories, and the start of a time range', () => {
  const across: FeedCursor = {
    place: { database: '745-801', txid: '18446744073709551614', event: { directoryId: id, sequence: 2 ** 53 - 1 } },
    from: new Date('2026-01-02T03:04:05.678Z'),
  };
  expect(cursors.read(cursors.write(across, undefined), undefined)).toEqual(across);
});

it('ignores the case of a directory’s ID', () => {
  expect(cursors.read(cursors.write(cursor, { directoryId: id }), { directoryId: id.toUpperCase(), tenant: 'a' })).toEqual(cursor);
});

it('decrypts with any of the keys, so that a key rotation expires no cursor', () => {
  const text = cursors.write(cursor, undefined);
  expect(cursorsOf(newKey, oldKey).read(text, undefined)).toEqual(cursor);
  expect(() => cursorsOf(newKey).read(text, undefined)).toThrow('not a cursor of this feed');
});

it('rejects a text that is not a cursor', () => {
  const forged = Buffer.from('{"place":{"sequence":1}}').toString('base64url');
  for (const text of ['x', 'a b', '0', 'ü', 'a'.repeat(4000), forged])
    expect(() => cursors.read(text, undefined)).toThrow('not a cursor of this feed');
});
