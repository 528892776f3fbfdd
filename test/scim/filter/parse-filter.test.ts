import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ScimError } from '../../../src/scim/errors.ts';
import type { Filter } from '../../../src/scim/filter/filter.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import type { AttributePath } from '../../../src/scim/schema/attribute.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';
import { anyFilterText } from './arbitraries.ts';
import { printFilter } from './print-filter.ts';
import { randomRuns } from '../../support/random-runs.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const path = (attribute: string, sub?: string): AttributePath => ({ attribute, ...(sub !== undefined && { sub }) });
const compare = (at: AttributePath | string, operator: string, value: unknown) =>
  ({ kind: 'compare', path: typeof at === 'string' ? path(at) : at, operator, value }) as Filter;
const present = (at: AttributePath | string) => ({ kind: 'present', path: typeof at === 'string' ? path(at) : at }) as Filter;
const and = (...terms: Filter[]): Filter => ({ kind: 'and', terms });
const or = (...terms: Filter[]): Filter => ({ kind: 'or', terms });
const not = (term: Filter): Filter => ({ kind: 'not', term });
const element = (attribute: string, filter: Filter): Filter => ({ kind: 'element', path: path(attribute), filter });

const errorOf = (text: string, type = userType) => {
  try {
    parseFilter(text, type);
  } catch (error) {
    if (error instanceof ScimError) return error.details;
    throw error;
  }
  return undefined;
};

const terms = (count: number) => Array.from({ length: count }, () => 'a pr').join(' or ');

const a = present('userName');
const b = present('title');
const c = present('active');
const work = compare('type', 'eq', 'work');

describe('valid filter', () => {
  it.each<[string, Filter]>([
    ['userName eq "ada"', compare('userName', 'eq', 'ada')],
    ['USERNAME EQ "ada"', compare('userName', 'eq', 'ada')],
    ['  userName\teq\n"ada" ', compare('userName', 'eq', 'ada')],
    ...['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'].map((operator): [string, Filter] => [
      `name.familyName ${operator} "x"`,
      compare(path('name', 'familyName'), operator, 'x'),
    ]),
    ['title Pr', b],
    ['userName eq null', compare('userName', 'eq', null)],
    ['name ne NULL', compare('name', 'ne', null)],
    ['userName eq "null"', compare('userName', 'eq', 'null')],
    // The grammar
    ['userName pr or title pr and active pr', or(a, and(b, c))],
    ['(userName pr or title pr) and active pr', and(or(a, b), c)],
    ['userName pr and title pr and active pr', and(a, b, c)],
    ['not (userName pr) and title pr', and(not(a), b)],
    ['not(userName pr)or title pr', or(not(a), b)],
    ['NOT ((userName pr))', not(a)],
    ['userName pr AND(title pr Or active pr)', and(a, or(b, c))],
    ['emails[type eq "work"]', element('emails', work)],
    ['emails [ type eq "work" and value co "@x" ]', element('emails', and(work, compare('value', 'co', '@x')))],
    ['emails[type eq "work"].value eq "x"', element('emails', and(work, compare('value', 'eq', 'x')))],
    [
      'emails[type eq "work" and primary eq true].value sw "x"',
      element('emails', and(work, compare('primary', 'eq', true), compare('value', 'sw', 'x'))),
    ],
    ['emails[type eq "work" or type pr].value pr', element('emails', and(or(work, present('type')), present('value')))],
    ['emails[not (type eq "work")] and active eq true', and(element('emails', not(work)), compare('active', 'eq', true))],
    // Names
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', compare('userName', 'eq', 'ada')],
    [`${enterprise}:employeeNumber eq "7"`, compare({ extension: enterprise, attribute: 'employeeNumber' }, 'eq', '7')],
    [`${enterprise.toUpperCase()}:EMPLOYEENUMBER eq "7"`, compare({ extension: enterprise, attribute: 'employeeNumber' }, 'eq', '7')],
    [`${enterprise}:manager.displayName eq "x"`, compare({ extension: enterprise, attribute: 'manager', sub: 'displayName' }, 'eq', 'x')],
    [`${enterprise}:manager.$ref eq "x"`, compare({ extension: enterprise, attribute: 'manager', sub: '$ref' }, 'eq', 'x')],
    [`${enterprise} pr`, present({ extension: enterprise })],
    ['manager eq "26118915"', compare({ extension: enterprise, attribute: 'manager', sub: 'value' }, 'eq', '26118915')],
    [
      'id eq "x" and manager eq "y"',
      and(compare('id', 'eq', 'x'), compare({ extension: enterprise, attribute: 'manager', sub: 'value' }, 'eq', 'y')),
    ],
    ['urn:example:custom:1.0:shoe.size eq 5', compare({ extension: 'urn:example:custom:1.0', attribute: 'shoe', sub: 'size' }, 'eq', 5)],
    ['shoeSize gt 5', compare('shoeSize', 'gt', 5)],
    ['emails eq "x"', compare(path('emails', 'value'), 'eq', 'x')],
    ['emails pr', present('emails')],
    ['schemas eq "urn:x"', compare('schemas', 'eq', 'urn:x')],
    ['schemas[value eq "urn:x"]', element('schemas', compare('value', 'eq', 'urn:x'))],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', compare(path('meta', 'lastModified'), 'gt', '2011-05-13T04:42:34Z')],
    ['meta[created ge 2024-02-29]', element('meta', compare('created', 'ge', '2024-02-29'))],
    // What providers send
    ['userName+eq+"a+b"', compare('userName', 'eq', 'a+b')],
    ['userName+eq+a.b+and+active+eq+true', and(compare('userName', 'eq', 'a.b'), compare('active', 'eq', true))],
    ['userName eq a+b@x.com and active eq True', and(compare('userName', 'eq', 'a+b@x.com'), compare('active', 'eq', true))],
    ['externalId eq jyoung', compare('externalId', 'eq', 'jyoung')],
    ['(externalId eq 4711)', compare('externalId', 'eq', '4711')],
    ['emails[value eq x@y].type eq work', element('emails', and(compare('value', 'eq', 'x@y'), work))],
    ['active eq "FALSE"', compare('active', 'eq', false)],
    ['emails[primary eq "True"]', element('emails', compare('primary', 'eq', true))],
    // Values
    [String.raw`userName eq "\"\\\/\u00e9\ud83d\ude00"`, compare('userName', 'eq', '"\\/é😀')],
    ['userName eq ""', compare('userName', 'eq', '')],
    ['userName eq "and) or ] not("', compare('userName', 'eq', 'and) or ] not(')],
    ['shoe eq "5"', compare('shoe', 'eq', '5')],
    ['shoe eq -1.5e1', compare('shoe', 'eq', -15)],
    ['shoe eq 007', compare('shoe', 'eq', '007')],
    ['shoe eq TRUE', compare('shoe', 'eq', true)],
    ['shoe sw 5', compare('shoe', 'sw', '5')],
  ])('is parsed: %s', (text, filter) => {
    expect(parseFilter(text, userType)).toEqual(filter);
  });

  it('depends on its resource type', () => {
    expect(parseFilter('members eq "x" and MEMBERS[Display sw "a"]', groupType)).toEqual(
      and(compare(path('members', 'value'), 'eq', 'x'), element('members', compare('display', 'sw', 'a'))),
    );
  });

  it('means the same when it is printed and parsed again', () => {
    fc.assert(
      fc.property(anyFilterText(userType), (text) => {
        const filter = parseFilter(text, userType);
        expect(parseFilter(printFilter(filter), userType)).toEqual(filter);
      }),
    );
  });
});

describe('invalid filter', () => {
  it.each<[string]>([
    [''],
    ['   '],
    ['userName'],
    ['userName is "x"'],
    ['userName eq'],
    ["userName eq 'ada'"],
    ['userName eq "ada'],
    ['userName eq "ada\\"'],
    ['userName eq "a\\x"'],
    ['userName eq "\\u0000"'],
    ['userName eq "\\ud800"'],
    ['userName eq a\0b'],
    ['userName eq "a" title eq "b"'],
    ['userName eq "a")'],
    ['userName eq "a" and'],
    ['userName eq "a" and or active pr'],
    ['(userName eq "a"'],
    ['emails[type eq "work"'],
    ['emails[type eq "work")'],
    ['emails[]'],
    ['emails[type[value eq "x"]]'],
    ['emails[name.value eq "x"]'],
    ['emails.value[type eq "x"]'],
    ['custom.part[type eq "x"]'],
    ['userName[value eq "x"]'],
    ['not userName pr'],
    ['userName.first eq "x"'],
    ['name eq "Ada"'],
    [`${enterprise} eq "x"`],
    ['password eq "x"'],
    ['password pr'],
    ['PassWord pr'],
    ['groups.$ref pr'],
    ['groups[$ref eq "x"]'],
    ['meta.location pr'],
    ['active eq "yes"'],
    ['active gt true'],
    ['active co "t"'],
    ['shoe le false'],
    ['userName gt null'],
    ['x509Certificates.value gt "x"'],
    ['meta.created sw "2020"'],
    ['meta.created co "2020-01-01"'],
    ...[
      '2020-02-30',
      '2020-13-01',
      'yesterday',
      '2020-01-01T25:00:00Z',
      '0000-01-01',
      '0001-01-01T00:00:00+14:00',
      '9999-12-31T23:59:59-01:00',
      '',
    ].map((date): [string] => [`meta.created gt "${date}"`]),
    ['"userName" eq "x"'],
    ['user!name eq "x"'],
  ])('is rejected: %s', (text) => {
    expect(errorOf(text)).toMatchObject({ status: 400, scimType: 'invalidFilter' });
  });

  it('is reported as too deep before it is too long', () => {
    for (const opening of ['(', 'not(', 'not (', 'emails[', '((a pr)and(']) {
      const error = errorOf(opening.repeat(Math.floor(8_000 / opening.length)));
      expect([opening, error?.scimType]).toEqual([opening, opening.endsWith('[') ? 'invalidFilter' : 'tooMany']);
    }
    expect(errorOf('('.repeat(100_000))).toMatchObject({ scimType: 'tooMany' });
  });

  it('is nested too deeply', () => {
    expect(errorOf(`${'('.repeat(32)}userName pr${')'.repeat(32)}`)).toBeUndefined();
    expect(errorOf(`${'('.repeat(33)}userName pr${')'.repeat(33)}`)).toMatchObject({ status: 400, scimType: 'tooMany' });
  });

  it('has too many comparisons', () => {
    expect(errorOf(terms(100))).toBeUndefined();
    expect(errorOf(terms(101))).toMatchObject({ status: 400, scimType: 'tooMany' });
  });

  it('is not quoted in the error', () => {
    const secret = 'x'.repeat(3_000);
    for (const text of [
      `${secret} is "x"`,
      `active eq "${secret}"`,
      `userName eq "${secret}`,
      `meta.created eq ${secret}`,
      `not ${secret}`,
    ])
      expect(errorOf(text)!.detail.length).toBeLessThan(200);
  });

  it('is always rejected with an error, whatever it is', () => {
    const token = fc.constantFrom(
      'userName',
      'emails',
      '[',
      ']',
      '(',
      ')',
      'not',
      'and',
      'or',
      'eq',
      'pr',
      '"x"',
      '.',
      ' ',
      '+',
      ':',
      '"',
      '\\',
      'urn:',
      '5',
      'null',
      '\0',
      '😀',
      '\ud800',
    );
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join('')),
      fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join(' ')),
    );
    fc.assert(
      fc.property(garbage, (text) => {
        expect(['invalidFilter', undefined]).toContain(errorOf(text)?.scimType);
      }),
      { numRuns: randomRuns(1_000) },
    );
  });
});
