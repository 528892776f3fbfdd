import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { directoryTypes } from '../../src/directory/directories/directory.ts';
import type { Field } from '../../src/http/setup/guides/guide.ts';
import { guides } from '../../src/http/setup/guides/guides.ts';
import { fill, languageList, languages } from '../../src/http/setup/languages/languages.ts';
import { packageRoot } from '../../src/paths.ts';

const labelsOf = (text: string) => [...text.matchAll(/\*\*(.+?)\*\*/gs)].map(([, label]) => label!.replaceAll(/\s+/g, ' '));
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

describe.each(directoryTypes)('the guide of %s', (type) => {
  const guide = guides[type];

  it('names the same words of the screens in every language', () => {
    for (const { text } of guide.steps) {
      expect(Object.keys(text).sort()).toEqual([...languageList].sort());
      for (const language of languageList)
        expect([language, labelsOf(text[language]).sort()]).toEqual([language, labelsOf(text.en).sort()]);
    }
  });

  it('agrees with its page in the documentation', () => {
    const page = readFileSync(join(packageRoot, 'docs/guides/providers', guide.page), 'utf8');
    const known = labelsOf(page);
    const labels = [guide.connectionAt, guide.mappingAt, ...guide.steps.map(({ text }) => text.en)].flatMap(labelsOf);
    // "Provisioning > Integration" is a way through screens.
    const missing = labels.filter((label) => !known.includes(label) && !label.split(' > ').every((part) => known.includes(part)));
    expect(missing).toEqual([]);
    const steps = stepsOf(page);
    if (guide.steps.every(({ fields }) => !fields) || type === 'generic-scim-v2') return;
    expect(steps.length).toBe(guide.steps.length);
    for (const [index, { text, fields = [] }] of guide.steps.entries()) {
      const step = steps[index]!;
      expect(labelsOf(step)).toEqual(expect.arrayContaining(labelsOf(text.en)));
      expect(fields.map(({ label, value }) => [label, wordsOf(value)])).toEqual(fieldsOf(step, page));
    }
  });
});

/** The numbered steps in the provider's console. */
function stepsOf(page: string): string[] {
  const section = /^## In the .*$([^]*?)^(?:## |This is the template)/m.exec(page)?.[1] ?? '';
  return section.split(/^\d+\. /m).slice(1);
}

/** The rows of a step's table, as the guide has them. */
const fieldsOf = (step: string, page: string): [string, string][] =>
  [...step.matchAll(/^ *\| \*\*(.+?)\*\*[^|]*\| +(.+?) *\|$/gm)].map(([, label, value]) => [label!, toWords(value!, page)]);

function toWords(value: string, page: string): string {
  if (value === 'The one below') return JSON.stringify(JSON.parse(/```json\n([^]*?)```/.exec(page)![1]!));
  const example = /such as `([^`]+)`/.exec(value)?.[1];
  return (example ?? value).replace(/, if there is this field$/, '').replaceAll(/[`*]/g, '');
}

function wordsOf(value: Field['value']): string {
  if ('of' in value) return `scim.${value.of}`;
  if ('label' in value) return value.label.replaceAll('*', '');
  return value.text.startsWith('{') ? JSON.stringify(JSON.parse(value.text)) : value.text;
}
