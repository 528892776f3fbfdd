import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { attributesOf, createMapped } from '../support/attributes.ts';
import { push } from '../support/inactive-users.ts';
import { ada, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
let directory: TestDirectory & { product: string };
let folder: string;
let user: string;
beforeAll(async () => {
  service = await shareTestService();
  directory = await createMapped(service);
  user = await push(directory, '/Users', { ...ada, title: 'Engineer' });
  folder = await mkdtemp(join(tmpdir(), 'rollcall-mapping-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const rollcall = (...args: string[]) => callRollcall(['mapping', ...args], at(service));
async function write(content: unknown): Promise<string> {
  const file = join(folder, 'file.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

it('replaces a schema, previews a mapping, and replaces it', async () => {
  const schema = await write({ attributes: [{ name: 'job_title', required: true }, { name: 'emails' }] });
  const stored = await rollcall('schema', '--product', directory.product, '--file', schema);
  expect([stored.code, stored.stdout]).toEqual([0, expect.stringMatching(/^job_title +string +yes$/m)]);
  expect((await rollcall('schema', '--product', directory.product)).stdout).toBe(stored.stdout);

  const file = await write({ attributes: { job_title: { path: 'title', case: 'upper' } } });
  const preview = await rollcall('preview', directory.id, '--file', file, '--limit', '1');
  expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining('"job_title":"ENGINEER"')]);
  const set = await rollcall('set', directory.id, '--file', file);
  expect([set.code, set.stdout]).toEqual([0, expect.stringMatching(/^job_title +string +yes +\{"case":"upper","path":"title"\}/m)]);
  expect((await attributesOf(service, directory.id, user)).job_title).toBe('ENGINEER');
  const shown = JSON.parse((await rollcall('show', directory.id, '--json')).stdout);
  expect(shown.recompute).toMatchObject({ state: 'done', done: 1, total: 1 });
});

it('needs a file that can be read, with valid JSON', async () => {
  expect((await rollcall('set', directory.id)).code).toBe(2);
  const missing = await rollcall('set', directory.id, '--file', join(folder, 'missing.json'));
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('ENOENT')]);
  expect((await rollcall('preview', directory.id, '--file', await write('{'))).code).toBe(2);
  const unknown = await rollcall('set', directory.id, '--file', await write({ attributes: { height: { path: 'title' } } }));
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('attributes.height')]);
});
