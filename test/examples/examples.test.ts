import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { startExample, type Example } from '../support/example.ts';
import { ada, request } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const examples: [string, Parameters<typeof startExample>][] = [
  ['plain Node', ['examples/node/server.mjs', { readyWhen: /SCIM secret/ }]],
  ['Express', ['examples/express/server.mjs', { readyWhen: /SCIM secret/ }]],
  ['Next.js', ['test/support/serve-route.mjs', { readyWhen: /ready/, createDirectory: 'examples/nextjs/create-directory.mjs' }]],
];

const patchSchemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];

describe.each(examples)('the example for %s', (_, of) => {
  let example: Example;
  beforeAll(async () => {
    example = await startExample(...of);
  });
  afterAll(async () => example[Symbol.asyncDispose]());

  it('receives users and groups from a provider and emits an event for each change', async () => {
    const { scim, output } = example;
    const created = await scim('POST', '/Users', ada);
    expect(created).toMatchObject({ status: 201, body: { userName: 'ada@example.com' } });
    expect(created.headers.get('content-type')).toMatch(/^application\/scim\+json/);
    const { id } = created.body;
    const found = await scim('GET', `/Users?${new URLSearchParams({ filter: 'userName eq "ada@example.com"' }).toString()}`);
    expect(found).toMatchObject({ status: 200, body: { totalResults: 1 } });
    const deactivate = { schemas: patchSchemas, Operations: [{ op: 'replace', path: 'active', value: false }] };
    expect(await scim('PATCH', `/Users/${id}`, deactivate)).toMatchObject({ status: 200, body: { active: false } });
    const group = await scim('POST', '/Groups', { displayName: 'Engines', members: [{ value: id }] });
    expect(group.status).toBe(201);
    expect(await scim('PUT', `/Groups/${group.body.id}`, { displayName: 'Numbers', members: [] })).toMatchObject({ status: 200 });
    expect(await scim('DELETE', `/Users/${id}`)).toMatchObject({ status: 204, body: undefined });

    await until(() => output().includes('user.deleted'));
    const printed = output().split('\n');
    expect(printed.filter((line) => /^(user|group)\./.test(line))).toEqual([
      'user.created ada@example.com',
      'user.updated ada@example.com',
      'group.created Engines',
      'group.user_added ada@example.com',
      'group.updated Numbers',
      'group.user_removed ada@example.com',
      'user.deleted ada@example.com',
    ]);
  });

  it('responds to invalid requests with SCIM errors and keeps working', async () => {
    const { scim } = example;
    const grace = { ...ada, userName: 'grace@example.com', emails: [{ value: 'grace@example.com' }] };
    expect(await scim('POST', '/Users', grace, 'a wrong secret')).toMatchObject({ status: 401, body: { status: '401' } });
    expect(await scim('POST', '/Users', '{ not JSON')).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } });
    expect(await scim('GET', '/Users/nobody')).toMatchObject({ status: 404, body: { status: '404' } });
    expect(await scim('GET', '/ServiceProviderConfig')).toMatchObject({ status: 200, body: { patch: { supported: true } } });
    expect(await scim('POST', '/Users', grace)).toMatchObject({ status: 201 });
    expect(await scim('POST', '/Users', grace)).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
  });

  it('responds with 413 to a body that is too large and changes nothing', async () => {
    const { scim } = example;
    const endless = { ...ada, userName: 'large@example.com', displayName: 'x'.repeat(10 * 1024 * 1024) };
    expect(await scim('POST', '/Users', endless)).toMatchObject({ status: 413 });
    const found = await scim('GET', `/Users?${new URLSearchParams({ filter: 'userName eq "large@example.com"' }).toString()}`);
    expect(found).toMatchObject({ status: 200, body: { totalResults: 0 } });
  });

  it('stops on SIGTERM', async () => {
    expect(await example.stop()).toBe(0);
  });
});

it.each(['examples/node/server.mjs', 'examples/express/server.mjs', 'examples/nextjs/create-directory.mjs'])(
  '%s does not start without its settings and embeds no Postgres',
  async (program) => {
    await using folder = await temporaryFolder();
    const run = (env: Record<string, string>) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(packageRoot, program)], {
        cwd: folder.path,
        env: { PATH: process.env['PATH'] ?? '', ...env },
        timeout: 60_000,
      });
      return { status, output: `${stdout.toString()}${stderr.toString()}` };
    };
    const neither = run({ DATABASE_URL: '' });
    expect(neither).toMatchObject({ status: 1, output: expect.stringMatching(/^DATABASE_URL /) });
    expect(neither.output).toMatch(/\sENCRYPTION_KEY /);
    const withoutKey = run({ DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' });
    expect(withoutKey).toMatchObject({ status: 1, output: expect.stringMatching(/^ENCRYPTION_KEY [^\n]*\n$/) });
    expect(readdirSync(folder.path)).toEqual([]);
  },
);

it('the Express example lists users', async () => {
  await using example = await startExample('examples/express/server.mjs', { readyWhen: /SCIM secret/ });
  await example.scim('POST', '/Users', ada);
  const people = await request(`${example.baseUrl}/people`, 'GET', undefined, {});
  expect(people.body).toEqual([{ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', active: true }]);
});
