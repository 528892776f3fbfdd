import { describe, expect, it } from '@jest/globals';
import { patchGroup, readGroup } from '../../../src/scim/group.ts';
import { groupType } from '../../../src/scim/schema/resource-types.ts';
import { readUser } from '../../../src/scim/user.ts';
import { core, enterprise, operationsOf, patch } from './patch.ts';

const polluted = () => ({}) as { polluted?: unknown };

describe('names of built-in properties', () => {
  it('are data in a body', () => {
    const sent = JSON.parse(
      '{"userName":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":{"__proto__":{"polluted":1}},"toString":7}',
    );
    const resource = readUser(sent);
    expect(JSON.stringify(resource)).toBe(
      `{"schemas":["${core}"],"userName":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":{"__proto__":{"polluted":1}},"toString":7}`,
    );
    expect(polluted().polluted).toBeUndefined();
  });

  it.each([
    ['__proto__', { polluted: 1 }],
    ['__proto__.polluted', 1],
    ['constructor.prototype', { polluted: 1 }],
    ['name.__proto__', { polluted: 1 }],
    ['emails[type eq "work"].__proto__', { polluted: 1 }],
    ['__proto__[polluted eq 1]', { a: 'b' }],
    ['urn:example:1.0:__proto__.polluted', 1],
    [`${enterprise}:__proto__.polluted`, 1],
    ['toString', 'x'],
    ['hasOwnProperty', 'x'],
  ])('are data at the path %s', (path, value) => {
    const user = { schemas: [core], userName: 'x', emails: [{ type: 'work', value: 'w' }], name: { givenName: 'A' } };
    const patched = patch(user, { op: 'add', path, value });
    expect(polluted().polluted).toBeUndefined();
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(JSON.stringify(patched)).toContain(JSON.stringify(value).slice(1, -1));
    expect(JSON.parse(JSON.stringify(patched))).toEqual(patched);
    expect(JSON.stringify(patch(patched, { op: 'replace', path, value }))).toBe(JSON.stringify(patched));
    expect(patch(patched, { op: 'remove', path })).toEqual(user);
  });

  it('are data without a path', () => {
    const wish = JSON.parse('{"op":"replace","value":{"__proto__":{"polluted":1},"name":{"constructor":{"a":1}}}}') as unknown;
    expect(JSON.stringify(patch({ userName: 'x' }, wish))).toBe(
      '{"userName":"x","__proto__":{"polluted":1},"name":{"constructor":{"a":1}}}',
    );
    expect(polluted().polluted).toBeUndefined();
  });

  it('do not select inherited properties', () => {
    const user = { userName: 'x', emails: [{ value: 'w' }] };
    expect(patch(user, { op: 'remove', path: 'emails[constructor pr]' })).toEqual(user);
    expect(patch(user, { op: 'remove', path: 'constructor' }, { op: 'remove', path: '__proto__.toString' })).toEqual(user);
  });
});

describe('password', () => {
  it.each([
    { password: 'hunter2' },
    { PASSWORD: 'hunter2' },
    { [`${core}:password`]: 'hunter2' },
    { [core]: { Password: 'hunter2' } },
    { 'password.value': 'hunter2' },
  ])('is never stored: %j', (sent) => {
    expect(JSON.stringify(readUser({ userName: 'x', ...sent }))).not.toContain('hunter2');
    expect(
      JSON.stringify(
        operationsOf([
          { op: 'add', value: sent },
          {
            op: 'replace',
            path: Object.keys(sent)[0]!
              .replace(/^urn.*User$/, 'password')
              .replace('.value', ''),
            value: 'hunter2',
          },
        ]),
      ),
    ).not.toContain('hunter2');
    expect(JSON.stringify(readGroup({ displayName: 'x', password: 'hunter2' }))).not.toContain('hunter2');
    expect(
      JSON.stringify(patchGroup({ displayName: 'x' }, operationsOf([{ op: 'add', path: 'password', value: 'hunter2' }], groupType))),
    ).not.toContain('hunter2');
  });
});
