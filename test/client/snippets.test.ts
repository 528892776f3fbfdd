import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { ada, apiKey, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

let service: TestService;
let folder: TemporaryFolder;
let snippets: string[];
const children: ChildProcess[] = [];

beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), temporaryFolder()]);
  const page = await readFile(join(packageRoot, 'docs/reference/client.md'), 'utf8');
  snippets = [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, text]) => text!);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service.stop();
  await folder[Symbol.asyncDispose]();
});

/** A snippet as a program that imports the build instead of the package. */
async function run(snippet: string) {
  const build = pathToFileURL(join(packageRoot, 'dist/src/client/index.js')).href;
  const file = folder.at(`snippet-${children.length}.mjs`);
  await writeFile(file, snippet.replace("'rollcall/client'", JSON.stringify(build)));
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'], ROLLCALL_URL: service.baseUrl, ROLLCALL_API_KEY: apiKey },
  });
  children.push(child);
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (said.text += chunk));
  return { child, said, exit: once(child, 'close') };
}

it('creates a directory and reads', async () => {
  const { said, exit } = await run(snippets[0]!);
  expect(await exit).toEqual([0, null]);
  expect(said.text).toMatch(/^SCIM endpoint: http:\/\/127\.0\.0\.1:\d+\/api\/scim\/v2\.0\/.+\n0 users\nDelivery: no_webhook\n$/);
});

it('follows events until it is stopped', async () => {
  const directory = await service.createDirectory({ product: 'crm' });
  const { child, said, exit } = await run(snippets[1]!);
  await directory.scim('POST', '/Users', ada);
  await until(() => said.text.includes('1 user.created\n'));
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
