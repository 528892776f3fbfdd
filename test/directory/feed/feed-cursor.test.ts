import { expect, it } from '@jest/globals';
import type { Feed } from '../../../src/directory/feed/ports.ts';
import { type FeedCursor, readFeedCursor, writeFeedCursor } from '../../../src/directory/feed/event-feed.ts';

const id = '01a1fd46-beef-7978-b244-a1855f394770';
const inDirectory = { directoryId: id };
const feeds: Feed[] = [
  undefined,
  inDirectory,
  { directoryId: id.replace('01', '02') },
  { tenant: 'a', product: 'b' },
  { tenant: 'b', product: 'a' },
  { tenant: 'a', product: 'b","c' },
];
const place = { database: '745-801', txid: '18446744073709551614', event: { directoryId: id, sequence: 2 ** 53 - 1 } };
const cursorOf = (feed: Feed): FeedCursor => ({
  place: feed && 'directoryId' in feed ? { sequence: 7 } : place,
  from: undefined,
});
const reading = (text: string, feed: Feed) => () => readFeedCursor(text, feed);
const rejection = expect.objectContaining({ code: 'invalid_request', field: 'after' });

it('reads a cursor back, for the same feed only', () => {
  for (const written of feeds) {
    const text = writeFeedCursor(cursorOf(written), written);
    expect(text).toMatch(/^[\w-]+$/);
    expect(readFeedCursor(text, written)).toEqual(cursorOf(written));
    for (const read of feeds.filter((feed) => feed !== written)) expect(reading(text, read)).toThrow(rejection);
  }
});

it('keeps the start of a time range', () => {
  const cursor: FeedCursor = { place, from: new Date('2026-01-02T03:04:05.678Z') };
  expect(readFeedCursor(writeFeedCursor(cursor, undefined), undefined)).toEqual(cursor);
});

it('ignores the case of a directory’s ID', () => {
  const cursor = cursorOf(inDirectory);
  expect(readFeedCursor(writeFeedCursor(cursor, inDirectory), { directoryId: id.toUpperCase(), tenant: 'a' })).toEqual(cursor);
});

it('names no tenant or product', () => {
  const text = writeFeedCursor({ place, from: undefined }, { tenant: 'acme', product: 'app' });
  expect(Buffer.from(text, 'base64url').toString()).not.toMatch(/acme|app/);
});

it('rejects a text that is not a cursor', () => {
  for (const text of ['', 'x', 'a b', '0', 'ü', 'a'.repeat(4000), Buffer.from('{"place":{"sequence":1}}').toString('base64url')])
    expect(reading(text, undefined)).toThrow(rejection);
});

it.each<[string, Feed, object]>([
  ['a negative sequence', inDirectory, { place: { sequence: -1 } }],
  ['a sequence beyond 2^53', inDirectory, { place: { sequence: 2 ** 60 } }],
  ['a sequence that is text', inDirectory, { place: { sequence: '1; select' } }],
  ['the place of another kind of feed', inDirectory, { place }],
  ['no place', inDirectory, { place: null }],
  ['a sequence in all directories', undefined, { place: { sequence: 1 } }],
  ['a transaction that is no number', undefined, { place: { ...place, txid: '1a' } }],
  ['a transaction beyond 2^64', undefined, { place: { ...place, txid: '18446744073709551616' } }],
  ['a directory that is no ID', undefined, { place: { ...place, event: { directoryId: 'x', sequence: 1 } } }],
  ['an event that is no object', undefined, { place: { ...place, event: 1 } }],
  ['a time that is text', undefined, { place, fromMs: 'x' }],
  ['a time after the year 9999', undefined, { place, fromMs: 1e15 }],
])('rejects a forged cursor with %s', (_what, feed, parts) => {
  const honest = JSON.parse(Buffer.from(writeFeedCursor(cursorOf(feed), feed), 'base64url').toString()) as object;
  expect(reading(Buffer.from(JSON.stringify({ ...honest, ...parts })).toString('base64url'), feed)).toThrow(rejection);
});
