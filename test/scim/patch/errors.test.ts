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
  it.each<[string, unknown, number, string | undefined]>([
    ['that is not an object', [operation], 400, 'invalidSyntax'],
    ['of another schema', { schemas: ['urn:x'], Operations: [operation] }, 400, 'invalidSyntax'],
    ['without operations', { schemas: [patchOp] }, 400, 'invalidSyntax'],
    ['with invalid operations', message(), 400, 'invalidSyntax'],
    ['with one operation outside a list', { Operations: operation }, 400, 'invalidSyntax'],
    ['with its operations twice', { Operations: [operation], operations: [] }, 400, 'invalidSyntax'],
    ['with too many', message(...Array.from({ length: 1001 }, () => operation)), 413, undefined],
  ])('%s is rejected', (_title, body, status, scimType) => {
    const error = errorOf(() => readPatch(body, userType));
    expect([error?.status, error?.scimType]).toEqual([status, scimType]);
  });

  it('requires no schemas, and its names are case-insensitive', () => {
    const { operations } = readPatch(message(operation), userType);
    for (const body of [
      { operations: [operation] },
      { schemas: null, OPERATIONS: [operation] },
      { SCHEMAS: patchOp.toUpperCase(), Operations: [operation] },
    ])
      expect(readPatch(body, userType)).toMatchObject({ operations, members: [] });
    expect(errorOf(() => readPatch(message(...Array.from({ length: 1000 }, () => operation)), userType))).toBeUndefined();
  });
});

describe('invalid operation', () => {
  it.each<[string, unknown, string]>([
    ['that is not an object', 'replace', 'invalidSyntax'],
    ['without op', { path: 'title', value: 'x' }, 'invalidSyntax'],
    ['with another op', { ...operation, op: 'move' }, 'invalidSyntax'],
    ['with an invalid path', { ...operation, path: 'a b' }, 'invalidPath'],
    ['with a path that is not text', { ...operation, path: ['title'] }, 'invalidPath'],
    ['with an invalid filter', { ...operation, path: 'emails[type is "work"]' }, 'invalidFilter'],
    ['with a filter in a name', { op: 'replace', value: { 'emails[type is "work"]': 'x' } }, 'invalidFilter'],
    ['for a part of what has none', { ...operation, path: 'title.x' }, 'invalidPath'],
    ['without a value', { op: 'add', path: 'title' }, 'invalidValue'],
    ['without a value for an extension', { op: 'replace', path: enterprise }, 'invalidValue'],
    ['without path and value', { op: 'replace' }, 'invalidValue'],
    ['without a path', { op: 'add', value: 'x' }, 'invalidValue'],
    ['of the whole, with text', { op: 'add', path: core, value: 'x' }, 'invalidValue'],
    ['that removes the whole', { op: 'remove', path: core }, 'noTarget'],
    ['without anything to remove', { op: 'remove' }, 'noTarget'],
    ['without names to remove', { op: 'remove', value: 'x' }, 'noTarget'],
    ['that removes the name', { op: 'remove', path: 'userName' }, 'mutability'],
    ['that makes the name null', { op: 'replace', value: { UserName: null } }, 'mutability'],
    ['that empties the name', { op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
    ['with a name too long', { op: 'replace', path: 'userName', value: 'x'.repeat(501) }, 'invalidValue'],
    ['with text too long', { op: 'add', path: 'shoe', value: ['x'.repeat(262_145)] }, 'invalidValue'],
    ['with an invalid boolean', { op: 'replace', path: 'active', value: 'no' }, 'invalidValue'],
    ['with a number for text', { op: 'replace', path: 'name.givenName', value: 7 }, 'invalidValue'],
    ['with a list for text', { op: 'replace', path: 'title', value: ['x'] }, 'invalidValue'],
    ['with text for an object', { op: 'replace', path: 'name', value: 'Ada' }, 'invalidValue'],
    ['with a number for a list', { op: 'add', path: 'emails', value: 7 }, 'invalidValue'],
    ['with a number for a value', { op: 'add', path: 'emails[type eq "home"].value', value: 7 }, 'invalidValue'],
    ['with two values for one', { op: 'add', path: 'emails[type eq "home"]', value: ['a', 'b'] }, 'invalidValue'],
    ['with text for an extension', { op: 'add', path: enterprise, value: 'x' }, 'invalidValue'],
    ['with a wrong value within one', { op: 'add', path: enterprise, value: { department: 7 } }, 'invalidValue'],
    ['for a value that cannot be made', { op: 'replace', path: 'emails[type ne "work"].value', value: 'x' }, 'noTarget'],
    ['for one of either kind', { op: 'add', path: 'emails[type eq "a" or type eq "b"].value', value: 'x' }, 'noTarget'],
    ['for one that cannot be', { op: 'add', path: 'emails[type eq "a" and type eq "b"].value', value: 'x' }, 'noTarget'],
    ['for what is not there and would not be', { op: 'replace', path: 'emails[value eq "a"].value', value: 'b' }, 'noTarget'],
    ['for another name', { op: 'replace', path: 'name[givenName eq "Eve"].familyName', value: 'x' }, 'noTarget'],
    ['for a part of text', { op: 'replace', path: 'shoe.size', value: 1 }, 'noTarget'],
    ['that would make too long a value', { op: 'add', path: `emails[value eq "${'x'.repeat(501)}"].type`, value: 'x' }, 'invalidValue'],
  ])('is rejected %s', (_title, wrong, scimType) => {
    const before = structuredClone(user);
    const error = errorOf(() => patch(user, operation, wrong));
    expect(error).toMatchObject({ status: 400, scimType });
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
    expect(error).toMatchObject({ status: 413 });
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
