import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { packageRoot } from '../../src/paths.ts';
import { createProject, type Project } from '../support/installed-package.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';

let project: Project;
let service: TestService;
beforeAll(async () => {
  [project, service] = await Promise.all([
    createProject({ folder: join(packageRoot, 'dist/client-package'), devDependencies: ['typescript'] }),
    startTestService(),
  ]);
});
afterAll(async () => {
  await Promise.all([project[Symbol.asyncDispose](), service.stop()]);
});

it('is small, and has no dependencies', async () => {
  const manifest = JSON.parse(await readFile(project.at('node_modules/rollcall-client/package.json'), 'utf8')) as object;
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  expect(project.files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'esm/index.js', 'cjs/index.d.ts']));
  expect(project.bytes).toBeLessThan(600_000);
});

it('passes publint, and has types that match what is loaded, however it is imported', async () => {
  const tarball = new Uint8Array(await readFile(project.tarball));
  expect((await publint({ pack: { tarball: tarball.slice().buffer }, level: 'suggestion', strict: true })).messages).toEqual([]);
  expect(await checkPackage(createPackageFromTarballData(tarball))).toMatchObject({ types: { kind: 'included' }, problems: [] });
});

it.each([
  ['import', 'client.mjs', "import { createClient } from 'rollcall-client';"],
  ['require', 'client.cjs', "const { createClient } = require('rollcall-client');"],
])('works with %s', async (_, name, load) => {
  await project.write(
    name,
    `${load}
    const client = createClient({ baseUrl: process.env.URL, apiKey: process.env.KEY });
    client.directories.list({ tenant: 'nobody', product: 'crm' }).then(({ data, status }) => console.log(status, data));`,
  );
  expect(await project.node([name], { URL: service.baseUrl, KEY: apiKey })).toBe('200 []\n');
});

it('compiles without the types of Node', async () => {
  await project.write(
    'consumer.ts',
    `import { createClient, type Client } from 'rollcall-client';
    export const client: Client = createClient({ baseUrl: 'http://127.0.0.1:5225', apiKey: 'key' });
    // @ts-expect-error: a method that there is not
    export const wrong = () => client.directories.creat({});`,
  );
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom', '--types', ''];
  expect(await project.node(['node_modules/typescript/bin/tsc', ...flags, '--module', 'nodenext', 'consumer.ts'])).toBe('');
});
