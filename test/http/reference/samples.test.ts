import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../../src/paths.ts';
import { createDocument } from '../../../src/http/openapi/create-document.ts';
import { toSampleRequest } from '../../../src/http/reference/sample-request.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { guides } from '../../../src/http/reference/navigation.ts';
import { type ListedOperation, listOperations } from '../../../src/http/openapi/described-document.ts';
import { curlSample, pythonSample, typescriptSample } from '../../../src/http/reference/samples.ts';

const document = createDocument({ baseUrl: 'http://127.0.0.1:5225', version: '1.2.3', limiting: true });
const operations = listOperations(document);
const requestOf = (id: string) =>
  toSampleRequest(
    document,
    operations.find(({ operationId }) => operationId === id)!,
  );

/** A request with every part, and with text that must be escaped. */
const planting: ListedOperation = {
  operationId: 'plant',
  method: 'POST',
  path: '/trees/{treeId}/{kind}',
  tag: 'Trees',
  parameters: [
    { name: 'treeId', in: 'path', required: true },
    { name: 'kind', in: 'path', required: true, example: "o'ak {$`" },
    { name: 'by[]', in: 'query', required: true, example: `"O'Hara" \\ {x}` },
  ],
  security: [{ scimSecret: [] }],
  requestBody: {
    required: true,
    content: { 'application/scim+json': { example: { when: null, 'is wet': true, isDry: false, heights: [1, 2.5], text: '`${x}`' } } },
  },
  responses: { 201: { description: 'Planted.', content: { 'application/json': {} } } },
};
const request = toSampleRequest(document, planting);

it('writes TypeScript that uses fetch for an operation that the client does not have', () => {
  expect(typescriptSample(request)).toBe(String.raw`const query = new URLSearchParams({ 'by[]': '"O\'Hara" \\ {x}' });
const response = await fetch(${'`${process.env.ROLLCALL_URL}/trees/${process.env.TREE_ID}'}/o'ak%20%7B\$%60?${'${query}`'}, {
  method: 'POST',
  headers: {
    Authorization: ${'`Bearer ${process.env.SCIM_SECRET}`'},
    'Content-Type': 'application/scim+json',
  },
  body: JSON.stringify({ when: null, 'is wet': true, isDry: false, heights: [1, 2.5], text: '${'`${x}`'}' }),
});
console.log(response.status, await response.json());`);
});

it('writes TypeScript that uses the typed client', () => {
  expect(typescriptSample(requestOf('users.get'))).toBe(`import { createClient } from 'rollcall/client';

const client = createClient({
  baseUrl: process.env.ROLLCALL_URL!,
  apiKey: process.env.ROLLCALL_API_KEY!,
});
const { data, error } = await client.users.get(
  process.env.USER_ID!,
  { directory_id: process.env.DIRECTORY_ID! },
);
if (error) throw new Error(error.message);
console.log(data);`);
});

it('writes Python', () => {
  expect(pythonSample(request)).toBe(String.raw`import os
import requests

response = requests.post(
    f"{os.environ['ROLLCALL_URL']}/trees/{os.environ['TREE_ID']}/o'ak%20%7B$%60",
    params={"by[]": "\"O'Hara\" \\ {x}"},
    headers={
        "Authorization": f"Bearer {os.environ['SCIM_SECRET']}",
        "Content-Type": "application/scim+json",
    },
    json={"when": None, "is wet": True, "isDry": False, "heights": [1, 2.5], "text": "${'`${x}`'}"},
)
print(response.status_code, response.json())`);
});

it('breaks a long body into lines in a command, as valid JSON', () => {
  const body = /-d '([^]*)'$/.exec(curlSample(requestOf('bulk')))![1]!;
  expect(body.split('\n').length).toBeGreaterThan(10);
  expect(JSON.parse(body)).toEqual(requestOf('bulk').body!.value);
});

it('writes TypeScript that compiles, for every operation', async () => {
  await using folder = await temporaryFolder();
  const samples = operations.map(
    (operation) => [`${operation.operationId}.mts`, typescriptSample(toSampleRequest(document, operation))] as const,
  );
  for (const [name, text] of [...samples, ['planting.mts', typescriptSample(request)] as const]) await writeFile(folder.at(name), text);
  const wrong = samples.find(([name]) => name === 'users.get.mts')![1].replace('directory_id', 'directory');
  await writeFile(folder.at('wrong.mts'), wrong);
  await writeFile(
    folder.at('tsconfig.json'),
    JSON.stringify({
      extends: join(packageRoot, 'tsconfig.json'),
      compilerOptions: {
        noEmit: true,
        rootDir: '/',
        declaration: false,
        allowImportingTsExtensions: true,
        typeRoots: [join(packageRoot, 'node_modules/@types')],
        paths: { 'rollcall/client': [join(packageRoot, 'src/client/index.ts')] },
      },
      include: ['*.mts'],
    }),
  );
  const { stdout } = spawnSync(process.execPath, [join(packageRoot, 'node_modules/typescript/bin/tsc'), '-p', folder.path], {
    encoding: 'utf8',
  });
  expect(stdout.match(/^\S.*error TS.*$/gm)).toEqual([
    expect.stringMatching(/wrong\.mts.*'directory' does not exist in type 'UsersGetQuery'/),
  ]);
}, 60_000);

it('names guides that exist, for every tag', () => {
  expect(
    Object.values(guides)
      .flat()
      .filter((path) => !['.md', '/README.md'].some((end) => existsSync(join(packageRoot, 'docs', `${path}${end}`)))),
  ).toEqual([]);
  expect(Object.keys(guides)).toEqual([...document.tags.map(({ name }) => name), 'Webhooks']);
});
