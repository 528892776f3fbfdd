import { describe, expect, it } from '@jest/globals';
import { coreUrn as core, enterpriseUrn as enterprise, errorOf, type ScimMessageRow, useScimErrors } from '../support/scim-errors.ts';

/** The error messages of PATCH and of filters. Other tests compare the status and `scimType`. */

const { send } = useScimErrors();
const urn = (name: string) => `urn:ietf:params:scim:api:messages:2.0:${name}`;
const long = (characters: number) => 'x'.repeat(characters);

describe('a PATCH', () => {
  const operation = { op: 'replace', path: 'title', value: 'x' };
  it.each<ScimMessageRow>([
    ['PATCH /Users/{user}', [operation], '400 invalidSyntax', 'The body must be a JSON object: a SCIM PATCH.'],
    [
      'PATCH /Users/{user}',
      { schemas: ['urn:x'], Operations: [operation] },
      '400 invalidSyntax',
      'schemas must be an array that contains urn:ietf:params:scim:api:messages:2.0:PatchOp.',
    ],
    [
      'PATCH /Users/{user}',
      {},
      '400 invalidSyntax',
      'Operations must be an array of operations, like [{"op": "replace", "path": "active", "value": false}].',
    ],
    [
      'PATCH /Users/{user}',
      { Operations: [operation], operations: [] },
      '400 invalidSyntax',
      'Duplicate key operations; names are case-insensitive.',
    ],
    [
      'PATCH /Users/{user}',
      { Operations: Array.from({ length: 1_001 }, () => 1) },
      '413',
      'A PATCH must have at most 1000 operations (fixed limit).',
    ],
    ['PATCH /Users/{unknown}', { Operations: [operation] }, '404', 'There is no user with this ID.'],
  ])('fails with its message: %s %.90j', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });

  it.each<[unknown, string, string]>([
    ['replace', '400 invalidSyntax', 'Each operation must be an object, like {"op": "replace", "path": "active", "value": false}.'],
    [{ path: 'title', value: 'x' }, '400 invalidSyntax', 'op must be "add", "replace" or "remove".'],
    [{ ...operation, op: 'move' }, '400 invalidSyntax', 'op must be "add", "replace" or "remove".'],
    [{ ...operation, path: ['title'] }, '400 invalidPath', 'path must be a string, like "name.givenName".'],
    [{ op: 'add', path: 'title' }, '400 invalidValue', 'add of title requires a value.'],
    [
      { op: 'replace', path: enterprise },
      '400 invalidValue',
      'replace of urn:ietf:params:scim:schemas:extension:enterprise:2.0:User requires a value.',
    ],
    [{ op: 'replace' }, '400 invalidValue', 'replace without a path requires an object as the value, like {"active": false}.'],
    [{ op: 'add', value: 'x' }, '400 invalidValue', 'add without a path requires an object as the value, like {"active": false}.'],
    [
      { op: 'add', path: core, value: 'x' },
      '400 invalidValue',
      'add without a path requires an object as the value, like {"active": false}.',
    ],
    [{ op: 'remove', path: core }, '400 noTarget', 'remove requires a path.'],
    [{ op: 'remove' }, '400 noTarget', 'remove requires a path.'],
    [{ op: 'remove', path: 'userName' }, '400 mutability', 'userName is required and cannot be removed; replace it instead.'],
    [{ op: 'replace', value: { UserName: null } }, '400 mutability', 'userName is required and cannot be removed; replace it instead.'],
    [{ op: 'replace', path: 'userName', value: '' }, '400 invalidValue', 'userName is required and must be a non-empty string.'],
    [{ op: 'replace', path: 'userName', value: long(501) }, '400 invalidValue', 'userName must have at most 500 characters (fixed limit).'],
    [{ op: 'replace', path: 'active', value: 'no' }, '400 invalidValue', 'active must be true or false.'],
    [{ op: 'replace', path: 'name.givenName', value: 7 }, '400 invalidValue', 'name.givenName must be a string.'],
    [{ op: 'replace', path: 'title', value: ['x'] }, '400 invalidValue', 'title must be a string.'],
    [{ op: 'replace', path: 'name', value: 'Ada' }, '400 invalidValue', 'name must be an object, like {"formatted": "…"}.'],
    [{ op: 'add', path: 'emails', value: 7 }, '400 invalidValue', 'emails must be an array of objects, like [{"value": "…"}].'],
    [{ op: 'add', path: 'emails[type eq "home"].value', value: 7 }, '400 invalidValue', 'emails.value must be a string.'],
    [
      { op: 'add', path: 'emails[type eq "home"]', value: ['a', 'b'] },
      '400 invalidValue',
      'emails must be an array of objects, like [{"value": "…"}].',
    ],
    [
      { op: 'add', path: enterprise, value: 'x' },
      '400 invalidValue',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User must be an object.',
    ],
    [
      { op: 'add', path: enterprise, value: { department: 7 } },
      '400 invalidValue',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department must be a string.',
    ],
    [
      { op: 'replace', path: 'emails[type ne "work"].value', value: 'x' },
      '400 noTarget',
      'No value of emails matches the filter, and none can be created from it.',
    ],
    [
      { op: 'add', path: 'emails[type eq "a" or type eq "b"].value', value: 'x' },
      '400 noTarget',
      'No value of emails matches the filter, and none can be created from it.',
    ],
    [{ op: 'replace', path: 'name[givenName eq "Eve"].familyName', value: 'x' }, '400 noTarget', 'name does not match the filter.'],
    [{ op: 'replace', path: 'shoe.size', value: 1 }, '400 noTarget', 'size cannot be set: the current value has no sub-attributes.'],
    [
      { op: 'add', path: `emails[value eq "${long(501)}"].type`, value: 'x' },
      '400 invalidValue',
      'emails.value must have at most 500 characters (fixed limit).',
    ],
    [{ ...operation, path: '' }, '400 invalidValue', 'replace without a path requires an object as the value, like {"active": false}.'],
    [{ ...operation, path: 'a b' }, '400 invalidPath', 'At character 3 of the path: expected the end of the path.'],
    [{ ...operation, path: 'emails type' }, '400 invalidPath', 'At character 8 of the path: expected the end of the path.'],
    [
      { ...operation, path: 'emails[type eq "work"]value' },
      '400 invalidPath',
      'At character 23 of the path: expected the end of the path.',
    ],
    [
      { ...operation, path: 'emails[type eq "work"].' },
      '400 invalidPath',
      'At character 24 of the path: expected the name of a sub-attribute.',
    ],
    [
      { ...operation, path: 'emails[type eq "work"].value.x' },
      '400 invalidPath',
      'At character 24 of the path: expected the name of a sub-attribute.',
    ],
    [{ ...operation, path: 'emails[type eq "work"' }, '400 invalidFilter', 'At character 22 of the path: expected "and", "or" or ].'],
    [
      { ...operation, path: 'emails[type is "work"]' },
      '400 invalidFilter',
      'At character 13 of the path: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after type.',
    ],
    [{ ...operation, path: 'emails[]' }, '400 invalidFilter', 'At character 8 of the path: expected the name of a sub-attribute.'],
    [{ ...operation, path: 'userName[value eq "x"]' }, '400 invalidPath', 'At character 9 of the path: brackets cannot follow userName.'],
    [{ ...operation, path: 'name.givenName.x' }, '400 invalidPath', 'At character 1 of the path: expected the name of an attribute.'],
    [
      { ...operation, path: 'title.x' },
      '400 invalidPath',
      'At character 1 of the path: title.x does not exist: the attribute has no sub-attributes.',
    ],
    [
      { ...operation, path: `${enterprise}[value eq "x"]` },
      '400 invalidPath',
      'At character 59 of the path: brackets cannot follow urn:ietf:params:scim:schemas:extension:enterprise:2.0:User.',
    ],
    [{ ...operation, path: 'emails]' }, '400 invalidPath', 'At character 7 of the path: expected the end of the path.'],
    [{ ...operation, path: 'user"Name' }, '400 invalidPath', 'At character 5 of the path: expected the end of the path.'],
    [{ ...operation, path: long(8_001) }, '400 invalidPath', 'The path must have at most 8000 characters (fixed limit).'],
    [
      { ...operation, path: `emails[${'('.repeat(7_900)}` },
      '400 tooMany',
      'Parentheses and brackets in a filter must be nested at most 32 levels deep (fixed limit).',
    ],
  ])('fails with its message: %.120j', async (wrong, error, message) => {
    expect(errorOf(await send('PATCH /Users/{user}', { Operations: [operation, wrong] }))).toEqual([error, message]);
  });

  it('fails with If-Match', async () => {
    const response = await send('PATCH /Users/{user}', { Operations: [operation] }, { 'if-match': 'W/"7"' });
    expect(errorOf(response)).toEqual([
      '412',
      'The resource is at version W/"1", which does not match If-Match: read it again and repeat the change.',
    ]);
  });
});

describe('a filter', () => {
  it.each<[string, string, string]>([
    [
      'userName',
      '400 invalidFilter',
      'At character 9 of the filter: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after userName.',
    ],
    [
      'userName is "x"',
      '400 invalidFilter',
      'At character 10 of the filter: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after userName.',
    ],
    ['userName eq', '400 invalidFilter', 'At character 12 of the filter: expected a value; text must be in double quotation marks.'],
    ["userName eq 'ada'", '400 invalidFilter', 'At character 13 of the filter: expected a value; text must be in double quotation marks.'],
    ['userName eq "ada', '400 invalidFilter', 'At character 13 of the filter: the value has no closing quotation mark.'],
    ['userName eq "ada\\"', '400 invalidFilter', 'At character 13 of the filter: the value has no closing quotation mark.'],
    [
      'userName eq "a\\x"',
      '400 invalidFilter',
      'At character 13 of the filter: the value is not a valid JSON string; write a backslash or a quotation mark in it as \\\\ or \\".',
    ],
    [
      'userName eq "\\u0000"',
      '400 invalidFilter',
      'At character 13 of the filter: the value is not a valid JSON string; write a backslash or a quotation mark in it as \\\\ or \\".',
    ],
    [
      'userName eq "\\ud800"',
      '400 invalidFilter',
      'At character 13 of the filter: the value is not a valid JSON string; write a backslash or a quotation mark in it as \\\\ or \\".',
    ],
    ['userName eq a\0b', '400 invalidSyntax', 'filter must not contain NUL characters or lone surrogates.'],
    ['userName eq "a" title eq "b"', '400 invalidFilter', 'At character 17 of the filter: expected "and", "or" or the end.'],
    ['userName eq "a")', '400 invalidFilter', 'At character 16 of the filter: expected "and", "or" or the end.'],
    ['userName eq "a" and', '400 invalidFilter', 'At character 20 of the filter: expected the name of an attribute.'],
    [
      'userName eq "a" and or active pr',
      '400 invalidFilter',
      'At character 24 of the filter: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after or.',
    ],
    ['(userName eq "a"', '400 invalidFilter', 'At character 17 of the filter: expected "and", "or" or ).'],
    ['emails[type eq "work"', '400 invalidFilter', 'At character 22 of the filter: expected "and", "or" or ].'],
    ['emails[type eq "work")', '400 invalidFilter', 'At character 22 of the filter: expected "and", "or" or ].'],
    ['emails[]', '400 invalidFilter', 'At character 8 of the filter: expected the name of a sub-attribute.'],
    ['emails[type[value eq "x"]]', '400 invalidFilter', 'At character 12 of the filter: brackets cannot be nested.'],
    ['emails[name.value eq "x"]', '400 invalidFilter', 'At character 8 of the filter: expected the name of a sub-attribute.'],
    ['emails.value[type eq "x"]', '400 invalidFilter', 'At character 13 of the filter: brackets cannot follow emails.value.'],
    ['custom.part[type eq "x"]', '400 invalidFilter', 'At character 12 of the filter: brackets cannot follow custom.part.'],
    ['userName[value eq "x"]', '400 invalidFilter', 'At character 9 of the filter: brackets cannot follow userName.'],
    ['not userName pr', '400 invalidFilter', 'At character 5 of the filter: expected ( after not.'],
    [
      'userName.first eq "x"',
      '400 invalidFilter',
      'At character 1 of the filter: userName.first does not exist: the attribute has no sub-attributes.',
    ],
    ['name eq "Ada"', '400 invalidFilter', 'At character 9 of the filter: name is complex: specify the sub-attribute to compare.'],
    [
      `${enterprise} eq "x"`,
      '400 invalidFilter',
      'At character 63 of the filter: urn:ietf:params:scim:schemas:extension:enterprise:2.0:User is complex: specify the sub-attribute to compare.',
    ],
    ['password eq "x"', '400 invalidFilter', 'At character 10 of the filter: password cannot be used in a filter.'],
    ['PassWord pr', '400 invalidFilter', 'At character 10 of the filter: PassWord cannot be used in a filter.'],
    ['groups.$ref pr', '400 invalidFilter', 'At character 13 of the filter: groups.$ref cannot be used in a filter.'],
    ['groups[$ref eq "x"]', '400 invalidFilter', 'At character 13 of the filter: $ref cannot be used in a filter.'],
    ['meta.location pr', '400 invalidFilter', 'At character 15 of the filter: meta.location cannot be used in a filter.'],
    ['active eq "yes"', '400 invalidFilter', 'At character 11 of the filter: active must be compared with true or false.'],
    ['active gt true', '400 invalidFilter', 'At character 11 of the filter: gt cannot compare active with this value.'],
    ['active co "t"', '400 invalidFilter', 'At character 11 of the filter: active must be compared with true or false.'],
    ['shoe le false', '400 invalidFilter', 'At character 9 of the filter: le cannot compare shoe with this value.'],
    ['userName gt null', '400 invalidFilter', 'At character 13 of the filter: gt cannot compare with null.'],
    [
      'x509Certificates.value gt "x"',
      '400 invalidFilter',
      'At character 27 of the filter: gt cannot compare x509Certificates.value with this value.',
    ],
    [
      'meta.created sw "2020"',
      '400 invalidFilter',
      'At character 17 of the filter: meta.created must be compared with a date and time, like "2026-01-31T12:00:00Z".',
    ],
    ['meta.created co "2020-01-01"', '400 invalidFilter', 'At character 17 of the filter: co cannot compare meta.created with this value.'],
    [
      'meta.created gt "2020-02-30"',
      '400 invalidFilter',
      'At character 17 of the filter: meta.created must be compared with a date and time, like "2026-01-31T12:00:00Z".',
    ],
    ['"userName" eq "x"', '400 invalidFilter', 'At character 1 of the filter: expected the name of an attribute.'],
    ['user!name eq "x"', '400 invalidFilter', 'At character 1 of the filter: expected the name of an attribute.'],
    ['('.repeat(8_001), '400 tooMany', 'The filter must have at most 8000 characters (fixed limit).'],
    [
      `${'('.repeat(33)}userName pr${')'.repeat(33)}`,
      '400 tooMany',
      'Parentheses and brackets in a filter must be nested at most 32 levels deep (fixed limit).',
    ],
    [Array.from({ length: 101 }, () => 'a pr').join(' or '), '400 tooMany', 'A filter must have at most 100 comparisons (fixed limit).'],
  ])('fails with its message: %.120s', async (filter, error, message) => {
    expect(errorOf(await send('POST /Users/.search', { schemas: [urn('SearchRequest')], filter }))).toEqual([error, message]);
  });
});
