import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readBranding } from '../../src/app/branding.ts';
import { readTokens } from '../../src/http/server/tokens.ts';
import { styleOf } from '../../src/http/setup/style.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-branding-'));
  await writeFile(join(folder, 'logo.png'), 'logo');
  await writeFile(join(folder, 'large.png'), Buffer.alloc(65_537));
  await writeFile(join(folder, 'page.html'), 'page');
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: object) {
  const file = join(folder, 'branding.json');
  await writeFile(file, JSON.stringify(content));
  return readBranding(file);
}

it('a product has its own branding, and for missing fields that of all products', async () => {
  const brandingOf = await read({ name: 'All', color: '#102030', products: { crm: { name: 'CRM', logo: 'logo.png' } } });
  expect(brandingOf('other')).toEqual({ name: 'All', color: '#102030' });
  expect(brandingOf('crm')).toEqual({ name: 'CRM', color: '#102030', logo: `data:image/png;base64,${btoa('logo')}` });
  expect(brandingOf('constructor')).toEqual({ name: 'All', color: '#102030' });
  expect(readBranding(undefined)('crm')).toEqual({});
});

it.each([
  [{ color: 'red' }, 'color'],
  [{ color: '#fff}' }, 'color'],
  [{ products: { crm: { colour: '#ffffff' } } }, 'colour'],
  [{ name: 'a'.repeat(101) }, 'name'],
  [{ logo: 'missing.png' }, 'missing.png'],
  [{ logo: 'large.png' }, 'large.png'],
  [{ logo: 'page.html' }, 'page.html'],
])('%j stops the start, and is named', async (content, named) => {
  await expect(read(content)).rejects.toThrow(named);
});

it('writes black on a light color and white on a dark one', () => {
  expect([styleOf({ color: '#ffe000' }), styleOf({ color: '#103050' })]).toEqual([
    expect.stringContaining('--on-brand: black'),
    expect.stringContaining('--on-brand: white'),
  ]);
});

it('takes all colors but that of the brand from the tokens of the console', () => {
  const own = styleOf({ color: '#103050' }).replace(readTokens().css, '').replaceAll('#103050', '');
  expect([own.length > 1_000, own.match(/#[\da-f]{3,8}\b|rgb/gi)]).toEqual([true, null]);
});
