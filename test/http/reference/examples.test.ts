import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDocument } from '../../../src/http/openapi/create-document.ts';
import { shareTestService, type TestDirectory, type TestService } from '../../support/service.ts';
import { exampleOf, listOperations } from '../../../src/http/openapi/described-document.ts';

const document = createDocument({ baseUrl: 'http://127.0.0.1:5225', version: '1.2.3', limiting: false });

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

function bodyOf(operationId: string): unknown {
  const content = listOperations(document).find((operation) => operation.operationId === operationId)!.requestBody!.content;
  const [{ schema, example }] = Object.values(content) as [(typeof content)[string]];
  return example ?? exampleOf(document, schema);
}

it('has request examples for SCIM that work', async () => {
  const bulk = await directory.scim('POST', '/Bulk', bodyOf('bulk'));
  expect([bulk.status, bulk.body.Operations.map(({ status }: { status: string }) => status)]).toEqual([200, ['201', '201']]);
  const [user, group] = bulk.body.Operations.map(({ location }: { location: string }) => location.split('/').at(-1)!);
  expect((await directory.scim('GET', `/Groups/${group}`)).body.members).toEqual([expect.objectContaining({ value: user })]);
  expect((await directory.scim('PATCH', `/Users/${user}`, bodyOf('changeUser'))).body.active).toBe(false);
  expect((await directory.scim('PATCH', `/Groups/${group}`, bodyOf('changeGroup'))).status).toBe(204);
});

it('has request examples for the JSON API that are accepted', async () => {
  const created = await service.api('POST', '/api/v1/directory-sync', bodyOf('directories.create'));
  expect(created.status).toBe(201);
  const at = `/api/v1/directory-sync/${created.body.data.id}`;
  expect((await service.api('PATCH', at, bodyOf('directories.update'))).status).toBe(200);
  expect((await service.api('PATCH', at, { webhook_url: 'https://app.example/hooks' })).status).toBe(200);
  expect((await service.api('POST', `${at}/replays`, bodyOf('replays.create'))).body.error.message).toContain('nothing to replay');
  const { id } = await service.createDirectory({ type: 'google' });
  const token = await service.api('POST', `/api/v1/directory-sync/${id}/google/token`, bodyOf('google.setToken'));
  expect([token.status, token.body.error]).toEqual([200, null]);
});
