import { expect, it } from '@jest/globals';
import { grace, startExample } from '../support/example.ts';
import { request } from '../support/service.ts';
import { until } from '../support/until.ts';

const examples: [string, Parameters<typeof startExample>][] = [
  ['plain Node', ['examples/node/server.mjs', { readyWhen: /SCIM secret/ }]],
  ['Express', ['examples/express/server.mjs', { readyWhen: /SCIM secret/ }]],
  ['Next.js', ['test/support/serve-route.mjs', { readyWhen: /ready/, createDirectory: 'examples/nextjs/create-directory.mjs' }]],
];

it.each(examples)('the example for %s takes users from a provider and tells of each change', async (_, of) => {
  await using example = await startExample(...of);
  const { scim, output } = example;

  const created = await scim('POST', '/Users', grace);
  expect(created).toMatchObject({ status: 201, body: { userName: 'grace@example.com' } });
  const { id } = created.body;
  expect(created.headers.get('content-type')).toMatch(/^application\/scim\+json/);
  expect(await scim('GET', '/Users?filter=userName eq "grace@example.com"')).toMatchObject({ status: 200, body: { totalResults: 1 } });
  expect(
    await scim('PATCH', `/Users/${id}`, { schemas: patchSchemas, Operations: [{ op: 'replace', path: 'active', value: false }] }),
  ).toMatchObject({
    status: 200,
    body: { active: false },
  });
  const group = await scim('POST', '/Groups', { displayName: 'Compilers', members: [{ value: id }] });
  expect(group.status).toBe(201);
  expect(await scim('PUT', `/Groups/${group.body.id}`, { displayName: 'Languages', members: [] })).toMatchObject({ status: 200 });
  expect(await scim('DELETE', `/Users/${id}`)).toMatchObject({ status: 204, body: undefined });

  await until(() => output().includes('user.deleted'));
  expect(
    output()
      .split('\n')
      .filter((line) => /^(user|group)\./.test(line)),
  ).toEqual([
    'user.created grace@example.com',
    'user.updated grace@example.com',
    'group.created Compilers',
    'group.user_added grace@example.com',
    'group.updated Languages',
    'group.user_removed grace@example.com',
    'user.deleted grace@example.com',
  ]);
});

it.each(examples)('the example for %s answers what is wrong as SCIM wants it, and goes on', async (_, of) => {
  await using example = await startExample(...of);
  const { scim } = example;
  expect(await scim('POST', '/Users', grace, 'a wrong secret')).toMatchObject({ status: 401, body: { status: '401' } });
  expect(await scim('POST', '/Users', '{ not JSON')).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } });
  expect(await scim('GET', '/Users/nobody')).toMatchObject({ status: 404, body: { status: '404' } });
  expect(await scim('GET', '/ServiceProviderConfig')).toMatchObject({ status: 200, body: { patch: { supported: true } } });
  expect(await scim('POST', '/Users', grace)).toMatchObject({ status: 201 });
  expect(await scim('POST', '/Users', grace)).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
});

it.each(examples)('the example for %s ends when it is told to', async (_, of) => {
  await using example = await startExample(...of);
  await example.scim('GET', '/Users');
  expect(await example.stop()).toBe(0);
});

it('the example for Express shows who is there', async () => {
  await using example = await startExample(...examples[1]![1]);
  await example.scim('POST', '/Users', grace);
  expect(await request(`${example.baseUrl}/people`, 'GET', undefined, {})).toMatchObject({
    body: [{ first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', active: true }],
  });
});

const patchSchemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
