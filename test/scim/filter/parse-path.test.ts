import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ScimError } from '../../../src/scim/errors.ts';
import { parsePath } from '../../../src/scim/filter/parse-filter.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';
import type { Target } from '../../../src/scim/filter/filter.ts';
import { randomRuns } from '../../support/random-runs.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const eq = (attribute: string, value: unknown) => ({ kind: 'compare', path: { attribute }, operator: 'eq', value }) as Target['filter'];

const errorOf = (text: string) => {
  try {
    parsePath(text, userType);
  } catch (error) {
    if (error instanceof ScimError) return error.details;
    throw error;
  }
  return undefined;
};

it.each<[string, unknown]>([
  ['active', { path: { attribute: 'active' } }],
  [' DisplayName ', { path: { attribute: 'displayName' } }],
  ['name.GIVENNAME', { path: { attribute: 'name', sub: 'givenName' } }],
  ['emails', { path: { attribute: 'emails' } }],
  ['emails.value', { path: { attribute: 'emails', sub: 'value' } }],
  ['password', { path: { attribute: 'password' } }],
  ['emails[type eq "work"]', { path: { attribute: 'emails' }, filter: eq('type', 'work') }],
  ['emails[type eq "work"].value', { path: { attribute: 'emails', sub: 'value' }, filter: eq('type', 'work') }],
  ['Emails[Type EQ "work"].VALUE', { path: { attribute: 'emails', sub: 'value' }, filter: eq('type', 'work') }],
  ['emails[primary eq "True"].display', { path: { attribute: 'emails', sub: 'display' }, filter: eq('primary', true) }],
  ['custom.part', { path: { attribute: 'custom', sub: 'part' } }],
  ['custom[kind eq 5].part', { path: { attribute: 'custom', sub: 'part' }, filter: eq('kind', 5) }],
  [enterprise, { path: { extension: enterprise } }],
  [enterprise.toLowerCase(), { path: { extension: enterprise } }],
  [`${enterprise}:manager`, { path: { extension: enterprise, attribute: 'manager' } }],
  [`${enterprise}:manager.value`, { path: { extension: enterprise, attribute: 'manager', sub: 'value' } }],
  ['manager', { path: { extension: enterprise, attribute: 'manager' } }],
  [
    'urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "work"].value',
    { path: { attribute: 'emails', sub: 'value' }, filter: eq('type', 'work') },
  ],
  [
    'urn:example:1.0:shoes[kind eq "left"].size',
    { path: { extension: 'urn:example:1.0', attribute: 'shoes', sub: 'size' }, filter: eq('kind', 'left') },
  ],
])('parses the path %s', (text, target) => {
  expect(parsePath(text, userType)).toEqual(target);
});

it('parses the path of a member', () => {
  expect(parsePath('members[value eq "2819c223"]', groupType)).toEqual({ path: { attribute: 'members' }, filter: eq('value', '2819c223') });
});

it.each([
  ['', 'invalidPath'],
  ['emails type', 'invalidPath'],
  ['emails[type eq "work"]value', 'invalidPath'],
  ['emails[type eq "work"].', 'invalidPath'],
  ['emails[type eq "work"].value.x', 'invalidPath'],
  ['emails[type eq "work"', 'invalidFilter'],
  ['emails[type is "work"]', 'invalidFilter'],
  ['emails[]', 'invalidFilter'],
  ['userName[value eq "x"]', 'invalidPath'],
  ['name.givenName.x', 'invalidPath'],
  ['userName.x', 'invalidPath'],
  [`${enterprise}[value eq "x"]`, 'invalidPath'],
  ['emails]', 'invalidPath'],
  ['user"Name', 'invalidPath'],
  ['x'.repeat(8_001), 'invalidPath'],
  [`emails[${'('.repeat(7_900)}`, 'tooMany'],
])('rejects the path %.60s', (text, scimType) => {
  expect(errorOf(text)).toMatchObject({ status: 400, scimType });
});

it('always rejects garbage with an error', () => {
  const token = fc.constantFrom(
    'emails',
    'userName',
    '[',
    ']',
    '.',
    'value',
    ':',
    'urn:',
    enterprise,
    '"',
    ' eq "x"',
    '(',
    '+',
    '$ref',
    '\0',
    '😀',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join('')),
      ),
      (text) => {
        expect(['invalidPath', 'invalidFilter', 'tooMany', undefined]).toContain(errorOf(text)?.scimType);
      },
    ),
    { numRuns: randomRuns(1_000) },
  );
});
