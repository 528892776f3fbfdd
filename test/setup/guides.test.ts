import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { directoryTypes } from '../../src/directory/directories/directory.ts';
import { guides } from '../../src/http/setup/guides/guides.ts';
import { fill, languageList, languages } from '../../src/http/setup/languages/languages.ts';
import { renderText } from '../../src/http/setup/render.ts';
import { packageRoot } from '../../src/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const pagesFolder = join(packageRoot, 'docs/guides/providers');

const labelsOf = (text: string) => [...text.matchAll(/\*\*(.+?)\*\*/gs)].map(([, label]) => label!.replaceAll(/\s+/g, ' '));
const namesOf = (text: string) => [...text.matchAll(/\*\*.+?\*\*|`.+?`/g)].map(String).sort();
const placeholdersOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe.each(languageList)('%s', (language) => {
  it('has the same messages as English, each with the same placeholders', () => {
    const messages: Record<string, string> = languages[language];
    const english: Record<string, string> = languages.en;
    expect(Object.keys(messages)).toEqual(Object.keys(english));
    const differing = Object.keys(english).filter(
      (key) => String(placeholdersOf(messages[key]!)) !== String(placeholdersOf(english[key]!)),
    );
    expect(differing).toEqual([]);
    expect(Object.values(messages).filter((message) => message.trim() === '')).toEqual([]);
  });

  it('differs from English', () => {
    const messages: Record<string, string> = languages[language];
    const same = Object.entries(languages.en).filter(([key, message]) => messages[key] === message && message.includes(' '));
    expect(language === 'en' || same.length === 0).toBe(true);
  });
});

it('fills placeholders, and leaves unknown ones', () => {
  expect(fill('{a} and {b}', { a: '{b}' })).toBe('{b} and {b}');
});

it('escapes texts, and marks labels and names', () => {
  expect(renderText('Set `a<b` of **C & D**, `e`')).toBe(
    'Set <code translate="no">a&lt;b</code> of <b translate="no">C &amp; D</b>, <code translate="no">e</code>',
  );
});

describe.each(directoryTypes)('the guide of %s', (type) => {
  const guide = guides[type];

  it('names the same words of the screens, and other names, in every language', () => {
    for (const { text } of guide.steps) {
      expect(Object.keys(text).sort()).toEqual([...languageList].sort());
      for (const language of languageList) expect([language, namesOf(text[language])]).toEqual([language, namesOf(text.en)]);
    }
  });

  it('sends people to screens that its page names', async () => {
    const known = labelsOf(await readFile(join(pagesFolder, guide.page), 'utf8'));
    // "Provisioning > Integration" is a way through screens.
    const missing = [guide.connectionAt, guide.mappingAt]
      .flatMap(labelsOf)
      .filter((label) => !known.includes(label) && !label.split(' > ').every((part) => known.includes(part)));
    expect(missing).toEqual([]);
  });
});

it('has the steps of each guide in its page of the documentation', () => {
  expect(generate('--check')).toEqual({ status: 0, said: '' });
});

it('names the command to run when a page has other steps, and writes them', async () => {
  await using folder = await temporaryFolder();
  await cp(pagesFolder, folder.path, { recursive: true });
  const committed = await readFile(folder.at('onelogin.md'), 'utf8');
  await writeFile(folder.at('onelogin.md'), committed.replace('**Suspend** or', '**Ignore** or'));
  const { status, said } = generate('--check', '--pages', folder.path);
  expect([status, said]).toEqual([1, expect.stringMatching(/^onelogin\.md .*run "npm run guides"/)]);
  expect(generate('--pages', folder.path)).toEqual({ status: 0, said: '' });
  expect(await readFile(folder.at('onelogin.md'), 'utf8')).toBe(committed);
});

it('rejects a page without a place for the steps', async () => {
  await using folder = await temporaryFolder();
  await cp(pagesFolder, folder.path, { recursive: true });
  await writeFile(folder.at('okta.md'), '# Okta\n\n<!-- steps: end -->\n');
  const { status, said } = generate('--pages', folder.path);
  expect([status, said]).toEqual([1, expect.stringMatching(/^okta\.md has no place for the steps/)]);
  expect(await readFile(folder.at('okta.md'), 'utf8')).toBe('# Okta\n\n<!-- steps: end -->\n');
});

function generate(...given: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [join(packageRoot, 'scripts/generate-guides.mjs'), ...given], {
    encoding: 'utf8',
  });
  return { status, said: stderr.trim() };
}
