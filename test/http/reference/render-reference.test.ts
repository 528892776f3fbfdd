import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readReplayRequest } from '../../../src/http/api/replays/requests.ts';
import { createDocument } from '../../../src/http/openapi/create-document.ts';
import { type DescribedDocument, exampleOf, listOperations } from '../../../src/http/openapi/described-document.ts';
import { referenceContentSecurityPolicy, renderReference } from '../../../src/http/reference/render-reference.ts';
import { exchangeRequest, toTokens, tokenRequest } from '../../../src/http/api/google/operations.ts';
import { parseRequest } from '../../../src/http/api/define-operation.ts';

const document = createDocument({ baseUrl: 'http://127.0.0.1:5225', version: '1.2.3', limiting: true });
const page = renderReference(document);

const findAll = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);
const ids = (html: string) => findAll(html, / id="([^"]+)"/g);
const brokenLinks = (html: string) =>
  findAll(html, /href="#([^"]+)"/g)
    .map(decodeURIComponent)
    .filter((anchor) => !ids(html).includes(anchor));

const articleOf = (id: string) => page.slice(page.indexOf(`<article id="${id}"`)).split('</article>')[0]!;

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const form = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } });

const ofOperation = (operation: object, more: object = {}): DescribedDocument => ({
  info: { title: 'Trees', version: '1' },
  servers: [{ url: 'https://trees.example/' }],
  paths: { '/trees/{treeId}': { post: { operationId: 'trees.plant', responses: {}, ...operation } } },
  ...more,
});
const ofJson = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const commandOf = (operation: object) =>
  /<article id="trees.plant"[^]*?<div class="curl"><pre[^>]*><code>([^]*?)<\/code>/.exec(renderReference(ofOperation(operation)))![1];

it('has a unique anchor for each operation and each schema', () => {
  const operationIds = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  const schemas = Object.keys(document.components.schemas).map((name) => `schema-${name}`);
  expect(operationIds.length).toBeGreaterThan(50);
  expect(ids(page)).toEqual(expect.arrayContaining([...operationIds, ...schemas]));
  expect(ids(page).filter((id, place, all) => all.indexOf(id) !== place)).toEqual([]);
});

it('shows webhooks with their headers and the meaning of responses, and links to them in the contents', () => {
  const section = /<h2 id="webhooks">[^]*?<\/section>/.exec(page)![0];
  const rows = findAll(section, /<th scope="row">(?:<[^>]+>)*([^<]+)/g);
  expect(rows).toEqual(expect.arrayContaining(['webhook-id', 'webhook-signature', 'BoxyHQ-Signature', '2XX', '410', 'Anything else']));
  expect(section).toContain('list of <a href="#schema-DirectoryEvent">DirectoryEvent</a>');
  expect(section).not.toContain('curl');
  expect(/<nav[^]*<\/nav>/.exec(page)![0]).toContain('href="#receiveDirectoryEvents"');
  expect(renderReference(ofOperation({}))).not.toContain('Webhooks');
});

it('has no broken links', () => {
  expect(brokenLinks(page)).toEqual([]);
});

it('loads nothing', () => {
  const links = findAll(page, /(?:href|src|action)="([^#][^"]*)"/g);
  expect(links.filter((link) => !link.startsWith('/docs/'))).toEqual(['/openapi.json']);
  expect(page).not.toMatch(/@import|\burl\(|<(?:img|iframe|object|embed|form|base|meta http)/);
});

it('has only the style and the script that its policy names', () => {
  const [style, ...styles] = findAll(page, /<style>([^]*?)<\/style>/g);
  const [script, ...scripts] = findAll(page, /<script>([^]*?)<\/script>/g);
  expect(referenceContentSecurityPolicy).toContain(`style-src ${hash(style!)};`);
  expect(referenceContentSecurityPolicy).toContain(`script-src ${hash(script!)};`);
  expect([...styles, ...scripts]).toEqual([]);
  expect(page).not.toMatch(/ style=| on[a-z]+="/);
});

it('escapes hostile text everywhere', () => {
  const hostile = `<script>x</script><img src=x onerror=x>"'&`;
  const schema = {
    type: 'object',
    description: hostile,
    properties: { [hostile]: { type: hostile, description: hostile, default: hostile, examples: [hostile], format: hostile } },
  };
  const html = renderReference({
    info: { title: hostile, version: hostile, description: hostile },
    servers: [{ url: hostile }],
    tags: [{ name: hostile, description: `[x](javascript:x) ${hostile}` }],
    paths: {
      [`/${hostile}`]: {
        post: {
          operationId: hostile,
          tags: [hostile],
          summary: `\`${hostile}\``,
          description: `**${hostile}**`,
          security: [{ [hostile]: [] }],
          parameters: [{ name: hostile, in: hostile, required: true, description: hostile, schema: { enum: [hostile] } }],
          requestBody: { required: true, content: { [hostile]: { schema } } },
          responses: {
            [hostile]: { description: hostile, headers: { [hostile]: {} }, content: { [hostile]: { schema } } },
            400: { description: hostile, content: { [hostile]: { schema: { $ref: `#/components/schemas/${hostile}` } } } },
          },
        },
      },
    },
    webhooks: {
      [hostile]: {
        post: {
          operationId: `${hostile}.sent`,
          summary: hostile,
          parameters: [{ name: hostile, in: 'header', description: hostile }],
          requestBody: { description: hostile, content: { [hostile]: { schema } } },
          responses: { [hostile]: { description: hostile } },
        },
      },
    },
    components: { schemas: { [hostile]: schema }, securitySchemes: { [hostile]: { description: hostile } } },
  });
  expect(html).not.toContain('<img');
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).not.toContain('href="javascript:');
  const tags = html.replaceAll(/<(?:style|script)>[^]*?<\/(?:style|script)>/g, '').match(/<[a-z][^>]*>/g)!;
  expect(tags.filter((tag) => !/^<[a-z\d]+(?: [a-z-]+(?:="[^"<>]*")?)*>$/.test(tag))).toEqual([]);
});

it('shows a command with the required parameters, quoted for a shell', () => {
  const command = commandOf({
    parameters: [
      { name: 'treeId', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'why', in: 'query', required: true, example: "it's dry", schema: { type: 'string' } },
      { name: 'when', in: 'query', schema: { type: 'string' } },
    ],
    security: [{ apiKey: [] }],
    requestBody: {
      required: true,
      ...ofJson({ type: 'object', properties: { kind: { examples: ["o'ak"] }, age: {} }, required: ['kind'] }),
    },
  });
  expect(command!.replaceAll('&quot;', '"').replaceAll('&#39;', "'")).toBe(
    [
      'curl -s -G "$ROLLCALL_URL/trees/$TREE_ID"',
      '-H "Authorization: Api-Key $ROLLCALL_API_KEY"',
      String.raw`--data-urlencode 'why=it'\''s dry'`,
      "-H 'Content-Type: application/json'",
      String.raw`-d '{"kind":"o'\''ak"}'`,
    ].join(' \\\n  '),
  );
});

it('leaves an optional body out of the command', () => {
  const body = ofJson({ type: 'object', properties: { kind: { examples: ['oak'] } } });
  expect(commandOf({ requestBody: body })).not.toContain('-d');
  expect(commandOf({ requestBody: body })).toContain('-X POST');
});

it('never uses the shell’s own variables', () => {
  expect(findAll(page, /\$([A-Z_]+)/g).filter((name) => ['PATH', 'HOME', 'USER', 'SHELL', 'PWD'].includes(name))).toEqual([]);
});

it('shows how an operation is authenticated', () => {
  const components = { components: { securitySchemes: { apiKey: { description: 'A key.' } } } };
  const said = (security: object[]) => /<p class="who">(.*?)<\/p>/.exec(renderReference(ofOperation({ security }, components)))![1];
  expect(said([])).toMatch(/^No authentication\./);
  expect(said([{ apiKey: [] }])).toMatch(/^\w+ <a href="#security-apiKey">apiKey<\/a>\./);
  expect(said([{ apiKey: [] }, {}])).toContain(', except from a trusted proxy.');
  expect(said([])).toContain('<code>client.trees.plant(treeId)</code>');
});

it('marks what a request requires and what a response may lack', () => {
  const schema = {
    type: 'object',
    properties: { kind: { type: 'string' }, age: { type: 'object', properties: { years: {} } } },
    required: ['kind'],
  };
  const html = renderReference(
    ofOperation({ requestBody: ofJson(schema), responses: { 200: { description: 'It grows.', ...ofJson(schema) } } }),
  );
  const rows = findAll(html, /(<tr class="depth[^]*?<\/th>)/g).map((row) =>
    row.replaceAll(/<tr class="depth-(\d)">|<[^>]+>/g, '$1').replaceAll('\n', ''),
  );
  expect(rows).toEqual(['0kind required', '0age', '1years', '0kind', '0age may be missing', '1years may be missing']);
});

it('shows every variant of a body', () => {
  const html = renderReference(ofOperation({ requestBody: ofJson({ oneOf: [form('seed'), form('cutting'), form('graft')] }) }));
  expect(html).toContain('One of these 3:');
  expect(findAll(html, /<th scope="row"><code>(\w+)/g)).toEqual(['seed', 'cutting', 'graft']);
});

it('begins with a first request, whose variables all examples use', () => {
  const [first, ...others] = ['Your first request', 'Conventions', 'Invalid HTTP', 'id="credentials"'].map((text) => page.indexOf(text));
  expect(others.every((place, at) => place > [first!, ...others][at]!)).toBe(true);
  expect(page).toContain('export ROLLCALL_URL=http://127.0.0.1:5225\n');
  const variables = new Set(findAll(page, /\$([A-Z_]+)/g));
  expect([...variables].filter((name) => /URL|KEY$|SECRET/.test(name)).sort()).toEqual(['ROLLCALL_API_KEY', 'ROLLCALL_URL', 'SCIM_SECRET']);
  const addresses = findAll(page, /curl[^<]*?&quot;(http[^<]*?)&quot;/g);
  expect(addresses.filter((address) => !address.startsWith('https://app.example/'))).toEqual([]);
});

it('shows an example of every JSON response', () => {
  const html = renderReference(
    ofOperation({
      responses: { 200: { description: 'A tree.', content: { 'application/json': { schema: {}, example: { kind: 'oak' } } } } },
    }),
  );
  expect(/<summary>Example response<\/summary>\n<pre[^>]*><code>([^<]*)/.exec(html)![1]).toBe('{\n  &quot;kind&quot;: &quot;oak&quot;\n}');
});

it('has an example of the response for every operation that returns JSON', () => {
  const returning = listOperations(document).filter(({ responses }) =>
    Object.entries(responses).some(
      ([status, { content = {} }]) => Number(status) < 300 && Object.keys(content).some((type) => type.endsWith('json')),
    ),
  );
  expect(returning.length).toBeGreaterThan(60);
  expect(returning.filter(({ operationId }) => !articleOf(operationId).includes('<summary>Example response</summary>'))).toEqual([]);
});

it('shows a request in each language, behind radio buttons that the style alone can follow', () => {
  const groups = listOperations(document).map(({ operationId }) => {
    const article = articleOf(operationId);
    expect(findAll(article, /<div class="(\w+)"><pre/g)).toEqual(['curl', 'typescript', 'python']);
    expect(findAll(article, / value="(\w+)"/g)).toEqual(['curl', 'typescript', 'python']);
    expect(article.match(/ checked>/g)).toHaveLength(1);
    return /type="radio" name="([^"]+)"/.exec(article)![1];
  });
  expect(new Set(groups).size).toBe(groups.length);
});

it('has open sections, with their guides, and closed articles', () => {
  expect(articleOf('users.list')).toMatch(/^<article[^>]*>\n<details>\n<summary><h3>List users<\/h3> <a class="self" href="#users.list"/);
  expect(page).toMatch(
    /<details open>\n<summary><h2 id="tag-events">Events<\/h2><\/summary>[^]*?<a href="\/docs\/guides\/receiving-events">/,
  );
});

it('shows the aliases of a parameter in its row', () => {
  const names = [
    { name: 'height', in: 'query', description: 'How high.' },
    { name: 'h', in: 'query', description: 'Alias of `height`.' },
    { name: 'depth', in: 'query', description: 'Alias of `width`.' },
  ];
  const html = renderReference(ofOperation({ parameters: names }));
  expect(findAll(html, /<th scope="row"><code>(\w+)/g)).toEqual(['height', 'depth']);
  expect(html).toContain('Alias: <code>h</code>.');
  const feed = /<article id="events.list"[^]*?<\/article>/.exec(page)![0];
  expect(findAll(feed, /Alias: <code>(.+?)<\/code>/g)).toEqual(['directoryId', 'events[]']);
});

it('has a valid example for every required body', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'description');
  const bodies = listOperations(document).flatMap(({ operationId, requestBody }) => {
    const [content] = requestBody?.required ? Object.values(requestBody.content) : [];
    return content ? [{ operationId, schema: content.schema!, example: content.example ?? exampleOf(document, content.schema) }] : [];
  });
  const misfits = bodies.filter(({ schema, example }) => !ajv.validate({ $ref: `description${schema.$ref}` }, example));
  expect([bodies.length > 15, misfits]).toEqual([true, []]);
  const read = (id: string) => bodies.find(({ operationId }) => operationId === id)!.example;
  expect(read('changeGroup')).toMatchObject({ Operations: [{ op: 'add', path: 'members' }] });
  expect(() => readReplayRequest(read('replays.create'))).not.toThrow();
  expect(() => parseRequest(exchangeRequest, read('google.getAccessToken'))).not.toThrow();
  expect(() => toTokens(parseRequest(tokenRequest, read('google.setToken')))).not.toThrow();
  expect(read('bulk')).toMatchObject({ Operations: [{ method: 'POST', data: { userName: 'ada@acme.example' } }, { path: '/Groups' }] });
});
