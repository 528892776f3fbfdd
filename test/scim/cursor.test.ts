import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKeyring } from '../../src/keyring.ts';
import { createCursors, maxSortKeyLength, type Position, type Seal } from '../../src/scim/cursor.ts';

const ring = createKeyring([randomBytes(32)]);
const seal: Seal = {
  seal: ring.sealText,
  open(sealed, context) {
    try {
      return ring.openText(sealed, context);
    } catch {
      return undefined;
    }
  },
};
const start = Date.UTC(2026, 0, 1);
let nowMs = start;
const cursors = createCursors({ ...seal, now: () => nowMs });
const scope = JSON.stringify(['directory-1', 'User', null, { attribute: 'userName' }, 'ascending']);

describe('cursor', () => {
  it.each<[string, Position]>([
    ['with a sort key', { id: 'u-1', sortKey: 'ada@example.com' }],
    ['where nothing is set', { id: 'u-1', sortKey: null }],
    ['in the order of creation', { id: 'u-1' }],
    ['within a list of everything', { id: 'g-1', sortKey: 'x', resourceType: 'Group' }],
    ['with text of all kinds', { id: 'u-1', sortKey: '"\\ é 😀 \u0001 __proto__' }],
    ['with the longest sort key', { id: 'u-1', sortKey: '\u0001'.repeat(maxSortKeyLength) }],
    ['with the widest sort key', { id: 'u-1', sortKey: '😀'.repeat(maxSortKeyLength) }],
  ])('returns its position: %s', (_title, position) => {
    const cursor = cursors.write(position, scope);
    expect(cursor).toMatch(/^[\w.~-]{1,4096}$/);
    expect(cursors.read(cursor, scope)).toEqual(position);
  });

  it('reveals nothing about the user it points to', () => {
    const cursor = cursors.write({ id: 'u-1', sortKey: 'ada@example.com' }, scope);
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/ada|u-1|directory/);
  });

  it.each([
    ['another directory', ['directory-2', 'User', null, { attribute: 'userName' }, 'ascending']],
    ['another resource type', ['directory-1', 'Group', null, { attribute: 'userName' }, 'ascending']],
    ['another filter', ['directory-1', 'User', { kind: 'present', path: { attribute: 'title' } }, { attribute: 'userName' }, 'ascending']],
    ['another attribute to sort by', ['directory-1', 'User', null, { attribute: 'title' }, 'ascending']],
    ['the other order', ['directory-1', 'User', null, { attribute: 'userName' }, 'descending']],
  ])('is rejected in %s', (_title, other) => {
    const cursor = cursors.write({ id: 'u-1' }, scope);
    expect(() => cursors.read(cursor, JSON.stringify(other))).toThrow(errorWith('invalidCursor'));
  });

  it.each([
    ['', ''],
    ['a word', 'next'],
    ['a number', '100'],
    ['spaces', '   '],
    ['another alphabet', 'é'],
    ['base64 of another kind', '+/=='],
    ['a very long text', 'A'.repeat(100_000)],
    ['clear JSON', Buffer.from('{"issuedAtMs":0,"position":{"id":"u-1"}}').toString('base64url')],
  ])('that was never issued is rejected: %s', (_title, text) => {
    expect(() => cursors.read(text, scope)).toThrow(errorWith('invalidCursor'));
  });

  it.each([['a'.repeat(4097)], ['a b'], ['a\0'], ['a/b'], ['']])('that cannot be valid is not decrypted', (text) => {
    const credulous = createCursors({ ...seal, open: openAnything, now: () => start });
    expect(() => credulous.read(text, scope)).toThrow(errorWith('invalidCursor'));
    expect(credulous.read('a'.repeat(4096), scope)).toEqual({ id: 'u-1' });
  });

  it('is rejected after any change to it', () => {
    const cursor = cursors.write({ id: 'u-1', sortKey: 'ada' }, scope);
    for (let at = 0; at < cursor.length - 1; at += 7) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      expect(() => cursors.read(changed, scope)).toThrow(errorWith('invalidCursor'));
    }
  });

  it('expires', () => {
    const cursor = cursors.write({ id: 'u-1' }, scope);
    nowMs = start + 3_600_000;
    expect(cursors.read(cursor, scope)).toEqual({ id: 'u-1' });
    nowMs++;
    expect(() => cursors.read(cursor, scope)).toThrow(errorWith('expiredCursor'));
    expect(() => cursors.read(cursor, 'another')).toThrow(errorWith('invalidCursor'));
    nowMs = start;
  });
});

const errorWith = (scimType: string) => expect.objectContaining({ details: expect.objectContaining({ status: 400, scimType }) });
const openAnything = () => JSON.stringify({ issuedAtMs: start, position: { id: 'u-1' } });
