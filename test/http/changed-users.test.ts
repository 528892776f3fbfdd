import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { ada, startTestService, type TestDirectory, type TestService } from '../support/service.ts';

interface Sent {
  text: string;
  values?: unknown[];
}

/** A connection keeps the method that it finds when it is opened, so it is replaced before the service starts. */
const driver = pg.Client.prototype as unknown as { query(this: unknown, ...given: unknown[]): unknown };
const { query } = driver;
const sent: Sent[] = [];
let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  driver.query = function (...given) {
    const [statement] = given;
    sent.push(typeof statement === 'string' ? { text: statement } : (statement as Sent));
    return query.apply(this, given);
  };
  service = await startTestService({}, { deliver: false, recordEveryMs: 3_600_000 });
  directory = await service.createDirectory();
});
afterAll(async () => {
  driver.query = query;
  await service.stop();
});

/** What the statements about this user did with the table of users, in the order in which they were sent. */
const touched = (userId: string) =>
  sent
    .filter(({ text, values }) => /\busers\b/.test(text) && JSON.stringify(values ?? []).includes(userId))
    .map(({ text }) => (/\bupdate users\b/.test(text) ? 'write' : 'read'));

const patch = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'nickName', value: 'Countess' }],
};

it.each([
  { title: 'a PATCH', method: 'PATCH', body: patch, query: '' },
  { title: 'a PUT', method: 'PUT', body: { ...ada, nickName: 'Countess' }, query: '' },
  { title: 'a PATCH that asks for some attributes', method: 'PATCH', body: patch, query: '?attributes=nickName,groups' },
  { title: 'a PUT that asks for all but some', method: 'PUT', body: { ...ada, nickName: 'Countess' }, query: '?excludedAttributes=emails' },
])('answers $title from what was decided, without reading the user again', async ({ title, method, body, query: asked }) => {
  const userName = `${title.replaceAll(' ', '-')}@example.com`;
  const { id } = (await directory.scim('POST', '/Users', { ...ada, userName })).body;
  const group = (await directory.scim('POST', '/Groups', { displayName: title, members: [{ value: id }] })).body;
  sent.length = 0;
  const changed = await directory.scim(method, `/Users/${id}${asked}`, method === 'PUT' ? { ...body, userName } : body);
  const done = touched(id);
  expect(changed).toMatchObject({ status: 200, body: { id, nickName: 'Countess', groups: [{ value: group.id }] } });
  expect(done.slice(done.indexOf('write'))).toEqual(['write']);

  sent.length = 0;
  const read = await directory.scim('GET', `/Users/${id}${asked}`);
  // Otherwise a read after the write would not be seen either.
  expect(touched(id)).toContain('read');
  expect(changed.body).toEqual(read.body);
  expect(changed.headers.get('etag')).toBe(read.headers.get('etag'));
});
