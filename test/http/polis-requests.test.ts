import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

/** What applications for Polis send, and how it differs from what the documentation of this API asks for. */
const [root, polisRoot] = ['/api/v1/directory-sync', '/api/v1/dsync'];
let service: TestService;
let directory: TestDirectory;
const users: string[] = [];
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory({ tenant: 'polis', product: 'app' });
  for (const userName of ['ada', 'bob', 'cay']) users.unshift((await directory.scim('POST', '/Users', { userName })).body.id as string);
});
afterAll(() => service.stop());

const push = async ({ scim }: TestDirectory, displayName: string) => (await scim('POST', '/Groups', { displayName })).body.id as string;

describe('pages', () => {
  it.each([
    ['', [0, 1, 2]],
    ['pageOffset=1&pageLimit=1', [1]],
    ['pageOffset=1.9&pageLimit=1px', [1]],
    ['pageOffset=-5&pageLimit=-1', [0, 1, 2]],
    ['pageOffset=x&pageLimit=', [0, 1, 2]],
    ['pageOffset=&pageLimit=0', [0, 1, 2]],
    ['pageOffset=0&pageLimit=99999999999999999999', [0, 1, 2]],
    ['pageOffset=99999999999999999999', []],
    ['pageOffset=2&offset=1&pageLimit=1&limit=3', [2]],
    ['pageLimit=1&pageLimit=2', [0, 1]],
    ['pageToken=abc', [0, 1, 2]],
  ])('of users with “%s” are newest first', async (query, places) => {
    const { status, body } = await service.api('GET', `${polisRoot}/users?directoryId=${directory.id}&${query}`);
    expect([status, body.error, (body.data as { id: string }[]).map(({ id }) => id)]).toEqual([
      200,
      null,
      places.map((place) => users[place]),
    ]);
  });

  it('of users name the directory of each', async () => {
    const { body } = await service.api('GET', `${polisRoot}/users?tenant=polis&product=app`);
    expect((body.data as { directoryId: string }[]).map(({ directoryId }) => directoryId)).toEqual([
      directory.id,
      directory.id,
      directory.id,
    ]);
    const one = await service.api('GET', `${polisRoot}/users/${users[0]}?directoryId=${directory.id}`);
    expect(one.body.data.directoryId).toBe(directory.id);
  });

  it('of groups are newest first, in all directories of a tenant and product', async () => {
    const owner = { tenant: 'newest', product: 'app' };
    const [one, other] = [await service.createDirectory(owner), await service.createDirectory(owner)];
    const [first, second, third] = [await push(one, 'A'), await push(other, 'A'), await push(one, 'B')];
    const list = async (query: string) =>
      ((await service.api('GET', `${root}/groups?tenant=newest&product=app&${query}`)).body.data as { id: string }[]).map(({ id }) => id);
    expect(await list('')).toEqual([third, second, first]);
    expect(await list('pageOffset=1&pageLimit=1')).toEqual([second]);
  });
});

it.each(['process-events', 'sync-google'])('GET of cron/%s does what POST does', async (name) => {
  const [got, posted] = [await service.api('GET', `${polisRoot}/cron/${name}`), await service.api('POST', `${polisRoot}/cron/${name}`)];
  expect([got.status, got.body.data.message]).toEqual([200, posted.body.data.message]);
  expect((await service.api('GET', `${polisRoot}/cron/${name}`, undefined, { authorization: '' })).status).toBe(401);
  expect((await service.api('HEAD', `${polisRoot}/cron/${name}`)).status).toBe(405);
});

it('deleting a directory that is gone succeeds at the path of Polis', async () => {
  const { id } = await service.createDirectory();
  const remove = async (path: string) => {
    const { status, body } = await service.api('DELETE', path);
    return [status, body.data, body.error?.code];
  };
  for (const path of [`${polisRoot}/${id}`, `${polisRoot}/${id}`, `${polisRoot}/${newId()}`, `${polisRoot}/nonsense`])
    expect(await remove(path)).toEqual([200, {}, undefined]);
  expect(await remove(`${root}/${id}`)).toEqual([404, null, 'not_found']);
  expect((await service.api('DELETE', `${polisRoot}/${newId()}`, undefined, { authorization: '' })).status).toBe(401);
});

it('errors have a code and, as in Polis, the status as a number', async () => {
  const [unknown, invalid] = [await service.api('GET', `${polisRoot}/${newId()}`), await service.api('POST', polisRoot, {})];
  expect([unknown.body.error, invalid.body.error]).toMatchObject([
    { code: 'not_found', status: 404, message: expect.any(String) },
    { code: 'invalid_request', status: 400, message: expect.any(String) },
  ]);
});
