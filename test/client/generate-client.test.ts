import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => folder[Symbol.asyncDispose]());

async function generate(...given: string[]) {
  const child = spawn(process.execPath, [join(packageRoot, 'scripts/generate-client.mjs'), ...given], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, said: said.trim() };
}

async function generateFrom(document: unknown) {
  await writeFile(folder.at('document.json'), JSON.stringify(document));
  return generate('--document', folder.at('document.json'), '--into', folder.at('generated'));
}

const read = (name: string) => readFile(folder.at(`generated/${name}`), 'utf8');

const text = { type: 'string' };
const ofJson = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const responding = (data: unknown) => ({ 200: ofJson({ type: 'object', properties: { data, error: { type: 'null' } } }) });
const tree = {
  type: 'object',
  description: 'A tree. */ It grows.',
  properties: {
    kind: { enum: ['oak', 'ash'], description: 'Which one.' },
    'bark-colour': { anyOf: [text, { type: 'null' }] },
    leaves: { type: 'array', items: { anyOf: [{ type: 'integer' }, { $ref: '#/components/schemas/Leaf' }] } },
    known: { anyOf: [{ const: 'yes' }, text] },
  },
  required: ['kind'],
  additionalProperties: true,
};
const document = {
  paths: {
    '/trees/{treeId}': {
      parameters: [{ name: 'treeId', in: 'path', description: 'The tree.' }],
      get: { operationId: 'trees.get', summary: 'Reads a tree.', responses: responding({ $ref: '#/components/schemas/Tree' }) },
      patch: {
        operationId: 'trees.change',
        requestBody: ofJson({ type: 'object', properties: { kind: text }, additionalProperties: {} }),
        responses: responding({ type: 'object', properties: { height: { type: 'number' } } }),
      },
    },
    '/trees': {
      get: {
        operationId: 'trees.list',
        parameters: [{ name: 'kind', in: 'query', required: true, schema: { type: 'array', items: text } }],
        responses: responding({ type: 'array', items: { $ref: '#/components/schemas/Tree' } }),
      },
      put: { operationId: 'plantTree', responses: {} },
    },
  },
  components: { schemas: { Tree: tree, Leaf: { type: 'object', additionalProperties: { type: 'boolean' } } } },
};

it('has a committed client that matches the OpenAPI document', async () => {
  expect(await generate('--check')).toEqual({ exitCode: 0, said: '' });
});

it('names the command to run when the document has changed', async () => {
  const { exitCode, said } = await generate('--check', '--into', folder.at('older'));
  expect(exitCode).toBe(1);
  expect(said).toContain('run "npm run client" and commit the result.');
});

it('writes readable types with their descriptions', async () => {
  expect(await generateFrom(document)).toEqual({ exitCode: 0, said: '' });
  expect(await read('types.ts')).toBe(`// Generated from the OpenAPI document by \`npm run client\`.
/** A tree. *\\/ It grows. */
export interface Tree {
  /** Which one. */
  kind: 'oak' | 'ash';
  'bark-colour'?: string | null;
  leaves?: (number | Leaf)[];
  known?: 'yes' | (string & {});
  [name: string]: unknown;
}

export type Leaf = Record<string, boolean>;

/** The argument of \`trees.change\`. */
export interface TreesChangeBody {
  kind?: string | undefined;
}

/** The response data of \`trees.change\`. */
export interface TreesChangeData {
  height?: number;
}

/** The argument of \`trees.list\`. */
export interface TreesListQuery {
  kind: string[];
}
`);
});

it('writes one method for each operation with an area', async () => {
  await generateFrom(document);
  const client = await read('client.ts');
  expect(client).toContain('get(treeId: string, options?: CallOptions): Promise<Result<Tree>>;');
  expect(client).toContain('change(treeId: string, body?: TreesChangeBody, options?: CallOptions): Promise<Result<TreesChangeData>>;');
  expect(client).toContain('list(query: TreesListQuery, options?: CallOptions): Promise<Result<Tree[]>>;');
  expect(client).toContain('@param treeId The tree.');
  const operations = await read('operations.ts');
  expect(operations).toContain("'trees.get': { method: 'GET', path: '/trees/{treeId}', pathParameters: ['treeId'], takes: 'nothing' }");
  expect(operations).not.toContain('plantTree');
});

it.each([
  ['trees.get.all', responding(text), 'The operationId trees.get.all must be <area>.<verb>, like directories.create.'],
  ['trees.get', ofJson(text), 'trees.get has a 2xx response without "data".'],
  ['trees.get', responding({ $ref: '#/elsewhere' }), 'The document refers to #/elsewhere: only #/components/schemas/… is supported.'],
])('rejects %s, which cannot become a method', async (operationId, responses, sentence) => {
  expect(await generateFrom({ paths: { '/trees': { get: { operationId, responses } } } })).toEqual({ exitCode: 1, said: sentence });
});

it('rejects two types with the same name', async () => {
  const { said } = await generateFrom({ ...document, components: { schemas: { ...document.components.schemas, Result: text } } });
  expect(said).toBe('Two types would have the name Result: rename the schema or the operation.');
});
