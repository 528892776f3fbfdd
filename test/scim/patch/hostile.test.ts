import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newGroup, patchGroup, readGroup } from '../../../src/scim/group.ts';
import type { JsonObject } from '../../../src/scim/json.ts';
import { applyPatch } from '../../../src/scim/patch/apply-patch.ts';
import { readPatch } from '../../../src/scim/patch/read-patch.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';
import { readUser } from '../../../src/scim/user.ts';
import { refusalOf } from '../refusal-of.ts';
import { core, enterprise, message, operationsOf, patch } from './patch.ts';

const names = [
  ...['userName', 'USERNAME', 'active', 'name', 'name.givenName', 'title', 'emails', 'Emails', 'emails.value', 'roles', 'x509Certificates'],
  ...['value', 'type', 'primary', 'display', 'givenName', 'schemas', 'id', 'meta', 'password', 'externalId', 'displayName', 'members'],
  ...[
    'emails[type eq "work"].value',
    'emails[value eq "a" and primary eq true]',
    'pets[kind eq "a"].name',
    'pets',
    'kind',
    'manager',
    'manager.value',
  ],
  ...[
    core,
    enterprise,
    `${enterprise}:department`,
    `${enterprise}:manager`,
    'urn:example:shop:2.0:User',
    'urn:example:shop:2.0:User:tier',
    'department',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '__proto__.polluted',
    'constructor.prototype',
    'hasOwnProperty',
    'shoe',
    'Shoe',
    '',
    ' ',
    '[',
    'a.b.c',
  ],
];
const scalar = fc.oneof(
  fc.constantFrom('a', 'work', 'True', 'FALSE', '', '2026-01-31T12:00:00Z'),
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.string(),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, fc.string()), tie('json'), { maxKeys: 4 }),
  ),
}));
const body = fc
  .dictionary(fc.constantFrom(...names), json, { maxKeys: 6 })
  .map((rest) => JSON.parse(JSON.stringify({ userName: 'ada', ...rest, schemas: null })) as JsonObject);
/** Elsewhere the same URN may be the name of an extension, and of an attribute in another: nobody can tell which is meant. */
const isClear = (sent: unknown) => !/"urn:example:shop:2\.0:User":[^{]/.test(JSON.stringify(sent));
const operation = fc.record(
  { op: fc.constantFrom('add', 'Replace', 'remove'), path: fc.constantFrom(...names), value: json },
  { requiredKeys: ['op'] },
);

/** Runs it, and sees that nothing but a refusal is thrown and that the input is what it was. */
function attempt<Result>(run: () => Result, ...inputs: unknown[]): Result | undefined {
  const before = JSON.stringify(inputs);
  let result: Result | undefined;
  refusalOf(() => {
    result = run();
  });
  expect(JSON.stringify(inputs)).toBe(before);
  if (result !== undefined) expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  return result;
}

describe('whatever is sent', () => {
  it('is read as a user or refused, and what was read is read as itself', () => {
    fc.assert(
      fc.property(fc.oneof(body, json).filter(isClear), (sent) => {
        const resource = attempt(() => readUser(sent), sent);
        if (resource) expect(readUser(resource)).toEqual(resource);
      }),
      { numRuns: 1_500 },
    );
  });

  it('is read as a group or refused', () => {
    fc.assert(
      fc.property(fc.oneof(body, json), (sent) => {
        const read = attempt(() => ({ ...readGroup(sent) }), sent);
        if (read) expect(read.resource).not.toHaveProperty('members');
        attempt(() => newGroup(readGroup(sent).resource).displayName, sent);
      }),
      { numRuns: 500 },
    );
  });

  it('is a PATCH or refused; done twice it is as done once', () => {
    fc.assert(
      fc.property(body.filter(isClear), fc.oneof(operation, json).filter(isClear), (sent, wish) => {
        const resource = attempt(() => readUser(sent), sent);
        const operations = attempt(() => readPatch(message(wish), userType).operations, wish);
        if (!resource || !operations) return;
        const patched = attempt(() => applyPatch(resource, operations, userType), resource, operations);
        if (patched) expect(applyPatch(patched, operations, userType)).toEqual(patched);
      }),
      { numRuns: 3_000 },
    );
  });

  it('are many operations or refused', () => {
    fc.assert(
      fc.property(body, fc.array(operation, { maxLength: 12 }), (sent, wishes) => {
        const resource = attempt(() => readUser(sent), sent);
        const operations = attempt(() => readPatch(message(...wishes), userType).operations, wishes);
        if (resource && operations) attempt(() => applyPatch(resource, operations, userType), resource, operations);
        attempt(() => readPatch(message(...wishes), groupType), wishes);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the names that objects have of their own', () => {
  const polluted = () => ({}) as { polluted?: unknown };

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

  it('do not choose what nobody has', () => {
    const user = { userName: 'x', emails: [{ value: 'w' }] };
    expect(patch(user, { op: 'remove', path: 'emails[constructor pr]' })).toEqual(user);
    expect(patch(user, { op: 'remove', path: 'constructor' }, { op: 'remove', path: '__proto__.toString' })).toEqual(user);
  });
});

describe('the password', () => {
  it.each([
    { password: 'hunter2' },
    { PASSWORD: 'hunter2' },
    { [`${core}:password`]: 'hunter2' },
    { [core]: { Password: 'hunter2' } },
    { 'password.value': 'hunter2' },
  ])('is never kept: %j', (sent) => {
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
