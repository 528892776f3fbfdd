import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/scim/json.ts';
import { createBudget, unlimitedBudget } from '../../../src/scim/budget.ts';
import { applyPatch } from '../../../src/scim/patch/apply-patch.ts';
import { readPatch } from '../../../src/scim/patch/read-patch.ts';
import { userType } from '../../../src/scim/schema/resource-types.ts';
import { errorOf } from '../error-of.ts';
import { core, enterprise, message, patch, patchOp } from './patch.ts';

const user: JsonObject = { userName: 'ada', name: { givenName: 'Ada' }, emails: [{ type: 'work', value: 'w@x' }], shoe: 'red' };
const operation = { op: 'replace', path: 'title', value: 'x' };

describe('PATCH', () => {
  it.each<[string, unknown, number, string | undefined, RegExp]>([
    ['that is not an object', [operation], 400, 'invalidSyntax', /must be a JSON object/],
    [
      'of another schema',
      { schemas: ['urn:x'], Operations: [operation] },
      400,
      'invalidSyntax',
      /schemas must be an array that contains .*PatchOp/,
    ],
    ['without operations', { schemas: [patchOp] }, 400, 'invalidSyntax', /^Operations must be an array/],
    ['with invalid operations', message(), 400, 'invalidSyntax', /^Operations must be an array/],
    ['with one operation outside a list', { Operations: operation }, 400, 'invalidSyntax', /^Operations must be an array/],
    ['with its operations twice', { Operations: [operation], operations: [] }, 400, 'invalidSyntax', /Duplicate key/],
    ['with too many', message(...Array.from({ length: 1001 }, () => operation)), 413, undefined, /at most 1000 operations/],
  ])('%s is rejected', (_title, body, status, scimType, detail) => {
    const error = errorOf(() => readPatch(body, userType));
    expect(error).toEqual({ status, detail: expect.stringMatching(detail), ...(scimType && { scimType }) });
  });

  it('requires no schemas, and its names are case-insensitive', () => {
    const { operations } = readPatch(message(operation), userType);
    for (const body of [
      { operations: [operation] },
      { schemas: null, OPERATIONS: [operation] },
      { SCHEMAS: patchOp.toUpperCase(), Operations: [operation] },
    ])
      expect(readPatch(body, userType)).toEqual({ operations, members: [] });
    expect(errorOf(() => readPatch(message(...Array.from({ length: 1000 }, () => operation)), userType))).toBeUndefined();
  });
});

describe('invalid operation', () => {
  it.each<[string, unknown, string, string | RegExp]>([
    ['that is not an object', 'replace', 'invalidSyntax', /^Each operation must be an object/],
    ['without op', { path: 'title', value: 'x' }, 'invalidSyntax', 'op must be "add", "replace" or "remove".'],
    ['with another op', { ...operation, op: 'move' }, 'invalidSyntax', 'op must be "add", "replace" or "remove".'],
    ['with an invalid path', { ...operation, path: 'a b' }, 'invalidPath', /of the path: expected the end/],
    ['with a path that is not text', { ...operation, path: ['title'] }, 'invalidPath', 'path must be a string, like "name.givenName".'],
    ['with an invalid filter', { ...operation, path: 'emails[type is "work"]' }, 'invalidFilter', /expected one of eq/],
    ['with a filter in a name', { op: 'replace', value: { 'emails[type is "work"]': 'x' } }, 'invalidFilter', /expected one of eq/],
    ['for a part of what has none', { ...operation, path: 'title.x' }, 'invalidPath', /title.x does not exist/],
    ['without a value', { op: 'add', path: 'title' }, 'invalidValue', 'add of title requires a value.'],
    ['without a value for an extension', { op: 'replace', path: enterprise }, 'invalidValue', /requires a value/],
    ['without path and value', { op: 'replace' }, 'invalidValue', /^replace without a path requires an object/],
    ['without a path', { op: 'add', value: 'x' }, 'invalidValue', /^add without a path requires an object/],
    ['of the whole, with text', { op: 'add', path: core, value: 'x' }, 'invalidValue', /requires an object as the value/],
    ['that removes the whole', { op: 'remove', path: core }, 'noTarget', 'remove requires a path.'],
    ['without anything to remove', { op: 'remove' }, 'noTarget', 'remove requires a path.'],
    ['without names to remove', { op: 'remove', value: 'x' }, 'noTarget', 'remove requires a path.'],
    [
      'that removes the name',
      { op: 'remove', path: 'userName' },
      'mutability',
      'userName is required and cannot be removed; replace it instead.',
    ],
    ['that makes the name null', { op: 'replace', value: { UserName: null } }, 'mutability', /^userName is required/],
    [
      'that empties the name',
      { op: 'replace', path: 'userName', value: '' },
      'invalidValue',
      'userName is required and must be a non-empty string.',
    ],
    [
      'with a name too long',
      { op: 'replace', path: 'userName', value: 'x'.repeat(501) },
      'invalidValue',
      'userName must have at most 500 characters.',
    ],
    [
      'with text too long',
      { op: 'add', path: 'shoe', value: ['x'.repeat(262_145)] },
      'invalidValue',
      'shoe must have at most 262144 characters.',
    ],
    ['with an invalid boolean', { op: 'replace', path: 'active', value: 'no' }, 'invalidValue', 'active must be true or false.'],
    ['with a number for text', { op: 'replace', path: 'name.givenName', value: 7 }, 'invalidValue', 'name.givenName must be a string.'],
    ['with a list for text', { op: 'replace', path: 'title', value: ['x'] }, 'invalidValue', 'title must be a string.'],
    [
      'with text for an object',
      { op: 'replace', path: 'name', value: 'Ada' },
      'invalidValue',
      'name must be an object, like {"formatted": "…"}.',
    ],
    ['with a number for a list', { op: 'add', path: 'emails', value: 7 }, 'invalidValue', /^emails must be an array of objects/],
    [
      'with a number for a value',
      { op: 'add', path: 'emails[type eq "home"].value', value: 7 },
      'invalidValue',
      'emails.value must be a string.',
    ],
    ['with two values for one', { op: 'add', path: 'emails[type eq "home"]', value: ['a', 'b'] }, 'invalidValue', /^emails must be/],
    ['with text for an extension', { op: 'add', path: enterprise, value: 'x' }, 'invalidValue', /^urn:.*:User must be an object\.$/],
    [
      'with a wrong value within one',
      { op: 'add', path: enterprise, value: { department: 7 } },
      'invalidValue',
      /:department must be a string\.$/,
    ],
    [
      'for a value that cannot be made',
      { op: 'replace', path: 'emails[type ne "work"].value', value: 'x' },
      'noTarget',
      /^No value of emails matches the filter/,
    ],
    [
      'for one of either kind',
      { op: 'add', path: 'emails[type eq "a" or type eq "b"].value', value: 'x' },
      'noTarget',
      /^No value of emails/,
    ],
    [
      'for one that cannot be',
      { op: 'add', path: 'emails[type eq "a" and type eq "b"].value', value: 'x' },
      'noTarget',
      /^No value of emails/,
    ],
    [
      'for what is not there and would not be',
      { op: 'replace', path: 'emails[value eq "a"].value', value: 'b' },
      'noTarget',
      /^No value of emails/,
    ],
    [
      'for another name',
      { op: 'replace', path: 'name[givenName eq "Eve"].familyName', value: 'x' },
      'noTarget',
      'name does not match the filter.',
    ],
    [
      'for a part of text',
      { op: 'replace', path: 'shoe.size', value: 1 },
      'noTarget',
      'size cannot be set: the current value has no sub-attributes.',
    ],
    [
      'that would make too long a value',
      { op: 'add', path: `emails[value eq "${'x'.repeat(501)}"].type`, value: 'x' },
      'invalidValue',
      /^emails.value must have at most 500/,
    ],
  ])('%s', (_title, wrong, scimType, detail) => {
    const before = structuredClone(user);
    const error = errorOf(() => patch(user, operation, wrong));
    expect(error).toMatchObject({ status: 400, scimType });
    expect(error!.detail).toMatch(detail);
    expect(user).toEqual(before);
  });

  it('that makes a resource too large, however small it is', () => {
    const emails = Array.from({ length: 10_000 }, (_, index) => ({ value: `${index}` }));
    const large = { op: 'replace', path: 'emails.display', value: 'x'.repeat(200_000) };
    expect(errorOf(() => patch({ ...user, emails }, large))).toMatchObject({
      status: 413,
      detail: expect.stringContaining('1048576 bytes'),
    });
  });
});

it('may change a resource that exceeds the limit, unless it grows', () => {
  const stored = { ...user, notes: Array.from({ length: 5 }, () => 'x'.repeat(250_000)), title: 'Engineer' };
  expect(patch(stored, { op: 'replace', path: 'title', value: 'Director' })).toMatchObject({ title: 'Director', notes: stored.notes });
  expect(patch(stored, { op: 'remove', path: 'notes' })).not.toHaveProperty('notes');
  expect(errorOf(() => patch(stored, { op: 'replace', path: 'title', value: 'Engineer of more words' }))).toMatchObject({ status: 413 });
});

it('1,000 operations on a large resource take a bounded time', () => {
  const emails = Array.from({ length: 7_500 }, (_, index) => ({ value: `${index}@example.com` }));
  const hostile = (make: (index: number) => object) => {
    const unlimited = createBudget(unlimitedBudget);
    const { operations } = readPatch(message(...Array.from({ length: 1000 }, (_, index) => make(index))), userType, unlimited);
    const start = process.cpuUsage();
    const error = errorOf(() =>
      applyPatch(
        { userName: 'x', emails, ...Object.fromEntries(emails.slice(0, 4_000).map(({ value }) => [value, 1])) },
        operations,
        userType,
      ),
    );
    return { error, cpuMs: process.cpuUsage(start).user / 1000 };
  };
  const terms = Array.from({ length: 100 }, (_, index) => `value co "${index}x"`).join(' or ');
  for (const make of [
    (index: number) => ({ op: 'add', path: 'emails', value: { value: `${index}` } }),
    (index: number) => ({ op: 'add', path: `unknown${index}`, value: 1 }),
    (index: number) => ({ op: 'replace', path: `emails[${terms}].display`, value: `${index}` }),
  ]) {
    const { error, cpuMs } = hostile(make);
    expect(error).toMatchObject({ status: 413, detail: expect.stringMatching(/too expensive|would exceed/) });
    expect(cpuMs).toBeLessThan(4_000);
  }
  const { error } = hostile((index) => ({ op: 'replace', path: 'title', value: `${index}` }));
  expect(error).toBeUndefined();
});

it('1,000 operations on lists of usual size succeed', () => {
  const roles = Array.from({ length: 1000 }, (_, index) => ({ op: 'add', path: 'roles', value: [{ value: `${index}`, type: 'x' }] }));
  expect(patch(user, ...roles)['roles']).toHaveLength(1000);
  const emails = Array.from({ length: 100 }, (_, index) => ({ value: `${index}`, type: `${index}` }));
  const changes = Array.from({ length: 1000 }, (_, index) => ({
    op: 'replace',
    path: `emails[type eq "${index % 100}"].value`,
    value: `v${index}`,
  }));
  expect(patch({ ...user, emails }, ...changes)['emails']).toHaveLength(100);
});
