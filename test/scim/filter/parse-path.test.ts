import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ScimError } from '../../../src/scim/errors.ts';
import { parsePath } from '../../../src/scim/filter/parse-filter.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';
import type { Target } from '../../../src/scim/filter/filter.ts';

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
  ['', 'invalidPath', 'At character 1 of the path: expected the name of an attribute.'],
  ['emails type', 'invalidPath', 'At character 8 of the path: expected the end of the path.'],
  ['emails[type eq "work"]value', 'invalidPath', 'At character 23 of the path: expected the end of the path.'],
  ['emails[type eq "work"].', 'invalidPath', 'At character 24 of the path: expected the name of a sub-attribute.'],
  ['emails[type eq "work"].value.x', 'invalidPath', 'At character 24 of the path: expected the name of a sub-attribute.'],
  ['emails[type eq "work"', 'invalidFilter', 'At character 22 of the path: expected "and", "or" or ].'],
  ['emails[type is "work"]', 'invalidFilter', expect.stringContaining('At character 13 of the path: expected one of eq')],
  ['emails[]', 'invalidFilter', 'At character 8 of the path: expected the name of a sub-attribute.'],
  ['userName[value eq "x"]', 'invalidPath', 'At character 9 of the path: brackets cannot follow userName.'],
  ['name.givenName.x', 'invalidPath', expect.stringContaining('At character 1 of the path')],
  ['userName.x', 'invalidPath', 'At character 1 of the path: userName.x does not exist: the attribute has no sub-attributes.'],
  [`${enterprise}[value eq "x"]`, 'invalidPath', expect.stringContaining('brackets cannot follow')],
  ['emails]', 'invalidPath', 'At character 7 of the path: expected the end of the path.'],
  ['user"Name', 'invalidPath', expect.any(String)],
  ['x'.repeat(8_001), 'invalidPath', 'The path must have at most 8000 characters.'],
  [`emails[${'('.repeat(7_900)}`, 'tooMany', 'Parentheses and brackets in a filter must be nested at most 32 levels deep.'],
])('rejects the path %.60s', (text, scimType, detail) => {
  expect(errorOf(text)).toEqual({ status: 400, scimType, detail });
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
    { numRuns: 1_000 },
  );
});
