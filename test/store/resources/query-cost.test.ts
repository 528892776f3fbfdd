import { expect, it } from '@jest/globals';
import type { ResourceQuery } from '../../../src/directory/ports.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { resourceTypeOf } from '../../../src/store/filters/attribute-source.ts';
import { queryCost } from '../../../src/store/resources/query-cost.ts';

const id = '00000000-0000-4000-8000-000000000000';
const page = { offset: 0, limit: 100 };

it.each([
  ['User', 'userName eq "ada"', 'few'],
  ['User', `id eq "${id}" and emails.value co "x"`, 'few'],
  ['User', 'externalId eq "1" or userName eq "ada"', 'few'],
  ['User', `userName eq "ada" and (${Array.from({ length: 10 }, () => 'title co "x"').join(' or ')})`, 'page'],
  ['User', 'displayName eq "Ada"', 'page'],
  ['User', 'userName eq "ada" or displayName eq "Ada"', 'page'],
  ['User', 'emails[type eq "work" and value eq "ada@example.com"]', 'page'],
  ['User', 'emails.value eq "ada@example.com"', 'page'],
  ['User', 'title eq "x" and emails.value eq "ada@example.com"', 'page'],
  ['User', 'emails.value co "ada"', 'search'],
  ['User', 'emails.value eq "ada@example.com" or userName eq "ada"', 'search'],
  ['User', 'not (userName eq "ada")', 'search'],
  ['User', 'userName ne "ada"', 'search'],
  ['User', 'userName sw "ada"', 'search'],
  ['User', 'userName pr', 'search'],
  ['User', 'active eq true', 'search'],
  ['User', 'title eq "x"', 'search'],
  ['User', 'meta.lastModified gt "2024-01-01T00:00:00Z"', 'search'],
  ['User', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "x"', 'search'],
  ['Group', 'displayName eq "Staff"', 'page'],
  ['Group', `id eq "${id}" and members eq "${id}"`, 'few'],
  ['Group', `members.value eq "${id}"`, 'page'],
  ['Group', 'members.display eq "Ada"', 'search'],
  ['Group', 'displayName co "Staff"', 'search'],
] as const)('knows which filters an index serves: %s, %s', (type, filter, cost) => {
  expect(queryCost({ filter: parseFilter(filter, resourceTypeOf(type)), page }, type)).toBe(cost);
});

const sort = { path: { attribute: 'userName' }, descending: false };
it.each<[string, ResourceQuery, string]>([
  ['the first page', { page }, 'page'],
  ['only the total', { page: { offset: 0, limit: 0 } }, 'few'],
  ['a page with a large offset', { page: { offset: 10_001, limit: 100 } }, 'search'],
  ['a page after a cursor', { page: { after: { id }, limit: 100 } }, 'page'],
  ['a sort', { sort, page }, 'search'],
  ['a sort of few rows', { sort, page, filter: parseFilter('userName eq "ada"', resourceTypeOf('User')) }, 'few'],
  [
    'only the total of a filter without an index',
    { page: { offset: 0, limit: 0 }, filter: parseFilter('title pr', resourceTypeOf('User')) },
    'search',
  ],
])('knows what %s costs', (_what, query, cost) => {
  expect(queryCost(query, 'User')).toBe(cost);
});
