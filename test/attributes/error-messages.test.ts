import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMapped, enterprise, mappingPath, schemasPath, setMapping } from '../support/attributes.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory & { product: string };
beforeAll(async () => {
  service = await shareTestService();
  directory = await createMapped(service, [
    { name: 'job_title' },
    { name: 'level', type: 'number' },
    { name: 'remote', type: 'boolean' },
    { name: 'since', type: 'date' },
    { name: 'cards', type: 'object', multi_valued: true },
  ]);
  await setMapping(service, directory.id, { level: { path: 'level' } });
});
afterAll(() => service.stop());

const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `a${index}`, type: 'string' }));

describe('an attribute schema', () => {
  it.each<[string, object, string, string]>([
    ['a list', { attributes: {} }, 'attributes', 'attributes must be an array.'],
    ['few', { attributes: many(51) }, 'attributes', 'attributes may have at most 50 entries.'],
    [
      'names',
      { attributes: [{ name: 'Job Title', type: 'string' }] },
      'attributes.0.name',
      'attributes.0.name must have 1 to 64 characters from a-z, 0-9 and _, beginning with a letter.',
    ],
    [
      'each name once',
      { attributes: [{ name: 'job_title' }, { name: 'job_title' }] },
      'attributes.1.name',
      'attributes.1.name is used twice: job_title.',
    ],
    [
      'a type',
      { attributes: [{ name: 'level' }] },
      'attributes.0.type',
      'attributes.0.type is required: level is not a predefined attribute.',
    ],
    [
      'a known type',
      { attributes: [{ name: 'level', type: 'text' }] },
      'attributes.0.type',
      'attributes.0.type must be one of string, number, boolean, date, object.',
    ],
    [
      'predefined types',
      { attributes: [{ name: 'job_title', type: 'number' }] },
      'attributes.0.type',
      'attributes.0.type must be string: job_title is a predefined attribute.',
    ],
    [
      'predefined lists',
      { attributes: [{ name: 'emails', multi_valued: false }] },
      'attributes.0.multi_valued',
      'attributes.0.multi_valued must be true: emails is a predefined attribute.',
    ],
    [
      'what mappings name',
      { attributes: [{ name: 'level', type: 'string' }] },
      'attributes',
      'attributes would remove or change the type of job_title, level, remote, since, cards, which the mappings of 1 directory name: remove it from these mappings first.',
    ],
  ])('must have %s', async (_what, fields, field, message) => {
    const before = (await service.api('GET', `${schemasPath}?product=${directory.product}`)).body.data;
    const { status, body } = await service.api('PUT', schemasPath, { product: directory.product, ...fields });
    expect([status, body.error]).toEqual([400, { code: 'invalid_request', message, field, status: 400 }]);
    expect((await service.api('GET', `${schemasPath}?product=${directory.product}`)).body.data).toEqual(before);
  });
});

describe('a mapping', () => {
  it.each<[string, object, string, string]>([
    ['a list', [], 'attributes', 'attributes must be an object.'],
    ['a source', { job_title: 'title' }, 'attributes.job_title', 'attributes.job_title must be an object.'],
    [
      'known fields',
      { job_title: { path: 'title', from: 'title' } },
      'attributes.job_title.from',
      'attributes.job_title.from is not a known field.',
    ],
    [
      'known attributes',
      { height: { path: 'x' } },
      'attributes.height',
      'attributes.height is not an attribute of the product: add it to its attribute schema first.',
    ],
    [
      'a path that parses',
      { job_title: { path: 'emails[type eq' } },
      'attributes.job_title.path',
      'attributes.job_title.path is not a path of a user. At character 15 of the path: expected a value; text must be in double quotation marks.',
    ],
    [
      'a path in a list that parses',
      { job_title: { first_of: [{ path: 'title' }, { path: 'a.b.c.d.e.f.g' }] } },
      'attributes.job_title.first_of.1.path',
      'attributes.job_title.first_of.1.path is not a path of a user. At character 1 of the path: expected the name of an attribute.',
    ],
    [
      'a short path',
      { job_title: { path: 'x'.repeat(501) } },
      'attributes.job_title.path',
      'attributes.job_title.path may have at most 500 characters.',
    ],
    [
      'few bytes',
      Object.fromEntries(many(8).map(({ name }) => [name, { first_of: many(10).map(() => ({ path: 'x'.repeat(490) })) }])),
      'attributes',
      'attributes may have at most 32768 bytes of JSON.',
    ],
    [
      'a path of the type',
      { level: { path: 'active' } },
      'attributes.level.path',
      'attributes.level.path has values of the type boolean, but the attribute has the type number.',
    ],
    [
      'a path of a part',
      { job_title: { path: 'name' } },
      'attributes.job_title.path',
      'attributes.job_title.path has values of the type complex, but the attribute has the type string.',
    ],
    [
      'a path of objects',
      { cards: { path: `${enterprise}:department` } },
      'attributes.cards.path',
      'attributes.cards.path has values of the type string, but the attribute has the type object.',
    ],
    [
      'a constant of the type',
      { remote: { constant: 'maybe' } },
      'attributes.remote.constant',
      'attributes.remote.constant must be a boolean.',
    ],
    ['a day', { since: { constant: '2026-02-30' } }, 'attributes.since.constant', 'attributes.since.constant must be a date.'],
    [
      'one source',
      { job_title: { path: 'title', constant: 'x' } },
      'attributes.job_title',
      'attributes.job_title must have one of path, constant and first_of.',
    ],
    [
      'a known case',
      { job_title: { path: 'title', case: 'title' } },
      'attributes.job_title.case',
      'attributes.job_title.case must be one of lower, upper.',
    ],
    [
      'the case of text',
      { level: { path: 'level', case: 'lower' } },
      'attributes.level.case',
      'attributes.level.case is only for strings: the type is number.',
    ],
    ['something', { job_title: { first_of: [] } }, 'attributes.job_title.first_of', 'attributes.job_title.first_of must not be empty.'],
    [
      'few alternatives',
      { job_title: { first_of: Array.from({ length: 11 }, () => ({ path: 'title' })) } },
      'attributes.job_title.first_of',
      'attributes.job_title.first_of may have at most 10 entries.',
    ],
  ])('must have %s', async (_what, attributes, field, message) => {
    const before = (await service.api('GET', mappingPath(directory.id))).body.data;
    for (const [method, path] of [
      ['PUT', mappingPath(directory.id)],
      ['POST', `${mappingPath(directory.id)}/preview`],
    ] as const) {
      const { status, body } = await service.api(method, path, { attributes });
      expect([status, body.error]).toEqual([400, { code: 'invalid_request', message, field, status: 400 }]);
    }
    expect((await service.api('GET', mappingPath(directory.id))).body.data).toEqual(before);
  });

  it('is of a directory that exists', async () => {
    const path = mappingPath('01a1fd46-beef-7978-b244-a1855f394770');
    for (const { status, body } of [
      await service.api('GET', path),
      await service.api('PUT', path, { attributes: {} }),
      await service.api('POST', `${path}/preview`),
    ])
      expect([status, body.error.code]).toEqual([404, 'not_found']);
  });
});
