import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory({ tenant: 'acme', product: 'crm' });
});
afterAll(() => service.stop());

const get = (path: string) => service.api('GET', path.replace('<id>', directory.id));
const root = '/api/v1/directory-sync';
const owner = 'tenant=acme&product=crm';

it.each([
  [`${root}?${owner}&pagelimit=1`, 'pagelimit', 'limit'],
  [`${root}?tennant=acme&product=crm`, 'tennant', 'tenant'],
  [`${root}?${owner}&limt=1`, 'limt', 'limit'],
  [`${root}/all?ofset=1`, 'ofset', 'offset'],
  [`${root}/all/?page_limit=1`, 'page_limit', 'limit'],
  [`${root}/product?produkt=crm`, 'produkt', 'product'],
  [`${root}/users?directory_ids=<id>`, 'directory_ids', 'directory_id'],
  [`${root}/users/one?directoryID=<id>`, 'directoryID', 'directory_id'],
  [`${root}/groups/one/members?${owner}&PageOffset=1`, 'PageOffset', 'offset'],
  [`/api/v1/dsync/groups?${owner}&pageLimits=1`, 'pageLimits', 'limit'],
  [`${root}/<id>/deliveries?stauts=pending`, 'stauts', 'status'],
  [`/api/v1/dsync/<id>/scim-requests?pagelimit=1`, 'pagelimit', 'limit'],
  [`${root}/events?directoryid=<id>`, 'directoryid', 'directory_id'],
  ['/api/v1/events?event=user.created', 'event', 'events'],
  ['/api/v1/events?type=user.created', 'type', 'events'],
  ['/api/v1/events?types=user.created', 'types', 'events'],
  ['/api/v1/events?event_types=user.created', 'event_types', 'events'],
  ['/api/v1/events?afer=x', 'afer', 'after'],
])('suggests a parameter for %s', async (path, field, suggestion) => {
  const { status, body } = await get(path);
  expect([status, body.error]).toEqual([
    400,
    { code: 'invalid_request', message: expect.stringMatching(new RegExp(` ${suggestion}\\?$`)), status: 400, field },
  ]);
});

it.each([
  `${root}?${owner}&pageToken=x&include=y&_=1`,
  `${root}/users?${owner}&pageToken=&teamId=1`,
  `${root}/groups?directoryId=<id>&pageToken=x`,
  `${root}/events?directoryId=<id>&pageToken=x`,
  `${root}/<id>?pagelimit=1`,
  `/api/v1/events?directoryId=<id>&pageToken=x&source=y`,
])('ignores other unknown parameters in %s', async (path) => {
  expect((await get(path)).status).toBe(200);
});

it('suggests nothing without authentication', async () => {
  expect((await service.api('GET', `${root}/all?pagelimit=1`, undefined, { authorization: 'Api-Key wrong' })).status).toBe(401);
});

it('accepts every parameter in the OpenAPI document', async () => {
  const { paths } = (await service.api('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>;
  };
  const addresses = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, item]) =>
      (item['get']?.parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => `${path.replace('{directoryId}', '<id>').replaceAll(/\{\w+\}/g, 'x')}?${encodeURIComponent(name)}=1`),
    );
  const unknown: string[] = [];
  for (const address of addresses) if ((await get(address)).body?.error?.message.startsWith('Unknown parameter')) unknown.push(address);
  expect([addresses.length > 40, unknown]).toEqual([true, []]);
});
