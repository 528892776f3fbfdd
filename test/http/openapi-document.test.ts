import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createDocument } from '../../src/http/openapi/create-document.ts';
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/open-api-document.ts';

const options = { baseUrl: 'https://sync.example', version: '1.2.3', limiting: true };
const document = createDocument(options);
const operations = operationsOf(document);

function operationsOf({ paths }: OpenApiDocument): [id: string, operation: OpenApiOperation, path: string][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).map((operation): [string, OpenApiOperation, string] => [operation.operationId, operation, path]),
  );
}

/** Every object in the document, with its path. */
function* objectsIn(value: unknown, place = '#'): Generator<[place: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>];
  for (const [name, inner] of Object.entries(value))
    yield* objectsIn(inner, `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

const resolve = (ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (inner, name) => (inner as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

const toPointer = (keys: string[]) => keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

const toFragment = (place: string) => `#${place.slice(1).split('/').map(encodeURIComponent).join('/')}`;

const refs = [...objectsIn(document)].flatMap(([place, { $ref }]) => (typeof $ref === 'string' ? [[place, $ref] as const] : []));

it('is the same each time, with the given version and address', () => {
  expect(createDocument(options)).toEqual(document);
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: 'https://sync.example' }] });
});

it('has no dangling references and no unused components', () => {
  expect(refs.filter(([, ref]) => resolve(ref) === undefined)).toEqual([]);
  const named = (['schemas', 'headers'] as const).flatMap((kind) =>
    Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
  );
  const used = new Set(refs.map(([, ref]) => ref));
  expect(named.filter((name) => !used.has(name))).toEqual([]);
});

it('has only valid JSON schemas, whose examples fit', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'description');
  const { schemas } = document.components;
  expect(Object.keys(schemas).filter((name) => ajv.validateSchema(schemas[name]!) !== true)).toEqual([]);
  const examples = Object.entries(schemas).flatMap(([name, schema]) =>
    [...objectsIn(schema, `#/components/schemas/${name}`)].flatMap(([place, object]) =>
      Array.isArray(object['examples']) ? object['examples'].map((example: unknown) => ({ place, example })) : [],
    ),
  );
  const fits = ({ place, example }: (typeof examples)[number]) => ajv.validate({ $ref: `description${toFragment(place)}` }, example);
  expect(examples.length).toBeGreaterThan(200);
  expect(examples.filter((example) => !fits(example))).toEqual([]);
});

it('has an example for every JSON response of success, which fits its schema', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'description');
  const responses = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses: all }]) =>
      Object.entries(all).flatMap(([status, { content = {} }]) =>
        Object.entries(content)
          .filter(([type]) => Number(status) < 400 && type.endsWith('json'))
          .map(([type, { example }]) => ({ keys: ['paths', path, method, 'responses', status, 'content', type, 'schema'], example })),
      ),
    ),
  );
  expect(responses.length).toBeGreaterThan(60);
  const misfits = responses.filter(({ keys, example }) => !ajv.validate({ $ref: `description#/${toPointer(keys)}` }, example));
  expect(misfits.map(({ keys, example }) => ({ keys, example }))).toEqual([]);
});

it('gives each operation a unique ID and a tag that is described', () => {
  const ids = operations.map(([id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  expect(new Set(operations.flatMap(([, { tags: given }]) => given))).toEqual(tags);
});

describe.each(operations)('%s', (id, operation, path) => {
  it('has a title, and describes every parameter with an example', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    const parameters = operation.parameters ?? [];
    expect(parameters.filter(({ description, example }) => !description?.endsWith('.') || example === undefined)).toEqual([]);
    const names = parameters.map(({ in: place, name }) => `${place} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    const inPath = parameters.filter(({ in: place, required }) => place === 'path' && required).map(({ name }) => `{${name}}`);
    expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
  });

  it('describes its responses and errors', () => {
    const statuses = Object.keys(operation.responses).map(Number);
    // RFC 6749 has 400 for everything that is wrong with a form.
    const takesJson = Object.keys(operation.requestBody?.content ?? {}).some((type) => type.endsWith('json'));
    const wanted = [
      500,
      ...(operation.security.length > 0 ? [401] : []),
      ...(operation.requestBody ? [400, 413] : []),
      ...(takesJson ? [415] : []),
    ];
    expect(statuses).toEqual(expect.arrayContaining(wanted));
    expect(statuses.some((status) => status < 400)).toBe(!id.endsWith('Me'));
    const responses = Object.entries(operation.responses);
    expect(responses.filter(([, { description }]) => !description.endsWith('.'))).toEqual([]);
    expect(responses.filter(([status, { content }]) => Number(status) >= 400 && !content)).toEqual([]);
  });

  it('describes every field of its request body, at the first level', () => {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
      // A file is no object of its own.
      const whole = ('$ref' in schema ? resolve(schema['$ref'] as string) : schema) as {
        description?: string;
        properties?: object;
        oneOf?: { properties: object }[];
      };
      expect(whole.description).toMatch(/\.$/);
      const fields = [whole, ...(whole.oneOf ?? [])].flatMap(({ properties = {} }) => Object.entries(properties as Record<string, object>));
      const silent = fields.filter(([name, field]) => !['schemas', 'Operations', 'externalId'].includes(name) && !('description' in field));
      expect(silent.map(([name]) => name)).toEqual([]);
    }
  });
});
