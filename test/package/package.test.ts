import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { cloneDatabase } from '../support/database.ts';
import { createProject, type Project } from '../support/installed-package.ts';
import { createTestNamespace } from '../support/service.ts';

let project: Project;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  [project, database] = await Promise.all([createProject({ devDependencies: ['typescript', '@types/node', 'jest'] }), cloneDatabase()]);
}, 180_000);
afterAll(async () => {
  await Promise.all([project[Symbol.asyncDispose](), database.drop()]);
});

/** Creates a directory, pushes a user, and prints the result and the loaded Temporal packages. */
const useLibrary = `
  const sync = await rollcall({ databaseUrl: process.env.DATABASE_URL, encryptionKeys: [process.env.KEY], externalUrl: 'https://app.example' });
  const { data: directory } = await sync.directories.create({ tenant: 'acme', product: 'crm' });
  const events = [];
  const { status } = await sync.requests.handle(
    {
      method: 'POST',
      directoryId: directory.id,
      resourceType: 'users',
      apiSecret: directory.scim.secret,
      body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada@example.com' },
    },
    (event) => void events.push(event.event),
  );
  await sync.stop();
  const required = typeof require === 'undefined' ? [] : Object.keys(require.cache);
  const temporal = [...process.report.getReport().sharedObjects, ...required].filter((file) => file.includes('@temporalio'));
  console.log(JSON.stringify({ status, events, temporal, others: [typeof createClient, typeof jackson, typeof controllers] }));`;
const used = { status: 201, events: ['user.created'], temporal: [], others: ['function', 'function', 'function'] };

const key = randomBytes(32).toString('base64');
const env = () => ({ DATABASE_URL: database.url, KEY: key });

it('contains what runs, its types and the documentation, and no tests, benchmarks or sources', () => {
  expect(project.files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'package.json',
      'dist/src/main.js',
      'dist/src/store/migrations/001-foundation.js',
      'dist/workflows/bundle.cjs',
      'docs/guides/users-table.md',
      'dist/cjs/src/library/index.js',
      'dist/types/src/library/index.d.ts',
    ]),
  );
  expect(project.files.filter((file) => !/^dist\/|^docs\/.*\.md$|^(LICENSE|README\.md|package\.json)$/.test(file))).toEqual([]);
  expect(project.files.filter((file) => /^dist\/(test|bench)\/|\.map$|(?<!\.d)\.ts$/.test(file))).toEqual([]);
});

it('passes publint', async () => {
  const tarball = await readFile(project.tarball);
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, level: 'suggestion', strict: true });
  expect(messages).toEqual([]);
});

it('has types that match what is loaded, however it is imported', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(await readFile(project.tarball)));
  expect(analysis).toMatchObject({ types: { kind: 'included' }, problems: [] });
});

it('works with import', async () => {
  await project.write(
    'import.mjs',
    `import { rollcall } from 'rollcall';
    import { createClient } from 'rollcall/client';
    import jackson, { controllers } from 'rollcall/jackson';
    ${useLibrary}`,
  );
  expect(JSON.parse(await project.node(['import.mjs'], env()))).toEqual(used);
});

it('works with require', async () => {
  await project.write(
    'require.cjs',
    `const { rollcall } = require('rollcall');
    const { createClient } = require('rollcall/client');
    const { default: jackson, controllers } = require('rollcall/jackson');
    (async () => { ${useLibrary} })();`,
  );
  // Without `require(esm)`, which newer versions of Node have.
  expect(JSON.parse(await project.node(['--no-experimental-require-module', 'require.cjs'], env()))).toEqual(used);
});

const useTemporal = `const { rollcall } = require('rollcall');
    (async () => {
      const { DATABASE_URL: databaseUrl, KEY, temporalAddress, temporalNamespace } = process.env;
      const sync = await rollcall({ databaseUrl, encryptionKeys: [KEY], externalUrl: 'https://app.example', temporalAddress, temporalNamespace });
      const { data: directory } = await sync.directories.create({ tenant: 'acme', product: 'temporal' });
      const body = { userName: 'grace@example.com' };
      const request = { method: 'POST', directoryId: directory.id, resourceType: 'users', apiSecret: directory.scim.secret, body };
      const { status } = await sync.requests.handle(request, ({ event }) => console.log(event));
      await sync.stop();
      console.log(status);
    })();`;

it('finds its workflows when it is required, and runs as the service does', async () => {
  const { connection, namespace } = await createTestNamespace();
  await connection.close();
  await using complete = await createProject({ withOptional: true });
  await complete.write('temporal.cjs', useTemporal);
  const access = { temporalAddress: process.env['TEST_TEMPORAL_ADDRESS']!, temporalNamespace: namespace };
  expect(await complete.node(['temporal.cjs'], { ...env(), ...access })).toBe('user.created\n201\n');
});

it("says what to do if Temporal's packages were left out", async () => {
  const sentence = 'The packages of Temporal are not installed. Install Rollcall again without `--omit=optional`.';
  await project.write('temporal.cjs', useTemporal);
  await expect(project.node(['temporal.cjs'], { ...env(), temporalAddress: '127.0.0.1:1' })).rejects.toThrow(sentence);
  await expect(project.node(['node_modules/rollcall/dist/src/main.js', 'start'])).rejects.toThrow(sentence);
});

it('works in the tests of a CommonJS application', async () => {
  await project.write('package.json', '{ "name": "application", "jest": { "testTimeout": 20000 } }');
  await project.write(
    'application.test.js',
    `const { rollcall } = require('rollcall');
    it('finds no directory', async () => {
      const sync = await rollcall({ databaseUrl: process.env.DATABASE_URL, encryptionKeys: [process.env.KEY], externalUrl: 'https://app.example' });
      expect(await sync.directories.list({ tenant: 'nobody', product: 'crm' })).toMatchObject({ data: [], error: null });
      await sync.stop();
    });`,
  );
  expect(await project.node(['node_modules/jest/bin/jest.js', '--ci'], env())).toContain('1 passed');
});

const consumer = `
  import { rollcall, type RollcallEvent, type RollcallOptions } from 'rollcall';
  import { createClient } from 'rollcall/client';
  import jackson, { controllers, type IDirectorySyncController } from 'rollcall/jackson';

  export async function count(options: RollcallOptions): Promise<number> {
    const sync = await rollcall({ ...options, onEvent: (event: RollcallEvent) => console.log(event.sequence) });
    const { data, error } = await sync.users.list({ tenant: 'acme', product: 'crm' });
    await sync.stop();
    if (error) throw new Error(error.message);
    return data.length;
  }

  export const names = async (controller: IDirectorySyncController) => {
    const { data, error } = await controller.users.setTenantAndProduct('acme', 'crm').getAll();
    return error ? error.code.toFixed() : data.map((user) => user.first_name.trim());
  };

  export const client = createClient({ baseUrl: 'http://127.0.0.1:5225', apiKey: 'key' });
  export const started = () => controllers({ externalUrl: 'https://app.example', samlPath: '/saml', db: { url: 'postgres://…' } });
  export const alike: typeof controllers = jackson;

  // @ts-expect-error: a method that there is not
  export const wrong = () => client.directories.creat({});
`;

it.each([
  ['modules and CommonJS in Node', ['consumer.mts', 'consumer.cts'], ['--module', 'nodenext']],
  ['what a bundler reads', ['consumer.ts'], ['--module', 'esnext', '--moduleResolution', 'bundler']],
])('compiles in %s, including its declarations', async (_, names, flags) => {
  for (const name of names) await project.write(name, consumer);
  const strictly = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--types', 'node'];
  expect(await project.node(['node_modules/typescript/bin/tsc', ...strictly, ...flags, ...names])).toBe('');
});

it('has a command line', async () => {
  const { bin } = JSON.parse(await readFile(project.at('node_modules/rollcall/package.json'), 'utf8')) as { bin: { rollcall: string } };
  expect(await project.node([project.at('node_modules/rollcall', bin.rollcall), '--help'])).toMatch(/^(Usage: )?rollcall/);
});
