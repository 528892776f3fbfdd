import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../src/paths.ts';

/** Where the sentences of a surface are asserted. The last two are the only tests of their scripts. */
const isCatalogue = (file: string) =>
  file.endsWith('messages.test.ts') || ['test/client/generate-client.test.ts', 'test/scripts/prepare.test.ts'].includes(file);

/** Calls whose arguments are what a test expects: matchers, and the tables of `it.each`. */
const expects = /^(to[A-Z]\w+|stringContaining|stringMatching|each)$/;

const isSentence = (text: string) => /^\^?[A-Z`][^]*[.!?]\n?\$?$/.test(text) && text.split(' ').length >= 3;

interface Node {
  type?: string;
  [key: string]: unknown;
}

/** The sentences that a test file asserts. */
function findSentences(source: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown, isExpected: boolean): void => {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, isExpected));
    if (typeof node !== 'object' || node === null) return;
    const text = textOf(node as Node);
    if (isExpected && text !== undefined && isSentence(text)) found.push(text);
    const isOfCall = (node as Node).type === 'CallExpression' && expects.test(nameOf((node as Node)['callee'] as Node));
    for (const [key, value] of Object.entries(node)) visit(value, isExpected || (isOfCall && key === 'arguments'));
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'esnext' }).body, false);
  return found;
}

const nameOf = (callee: Node) => ((callee['property'] as Node | undefined)?.['value'] as string | undefined) ?? '';

function textOf({ type, ...node }: Node): string | undefined {
  if (type === 'StringLiteral') return node['value'] as string;
  if (type === 'TemplateLiteral') return (node['quasis'] as { cooked: string }[]).map(({ cooked }) => cooked).join('…');
  if (type === 'RegExpLiteral') return (node['pattern'] as string).replace(/\\(.)/g, '$1');
  return undefined;
}

it('sentences are asserted only in the catalogues', () => {
  const names = readdirSync(join(packageRoot, 'test'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  expect(files.length).toBeGreaterThan(100);
  const found = files
    .filter((file) => !isCatalogue(file))
    .flatMap((file) => findSentences(readFileSync(join(packageRoot, file), 'utf8')).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

const examples: [source: string, sentences: string[]][] = [
  ["expect(error).toEqual({ message: 'It is not valid.' })", ['It is not valid.']],
  ["expect(text).toEqual(expect.stringContaining('It is not valid.'))", ['It is not valid.']],
  ['expect(text).toMatch(/^It is not \\w+\\.$/)', ['^It is not w+.$']],
  ["it.each([['a', 'It is not valid.']])", ['It is not valid.']],
  ["expect(error).toEqual({ field: 'tenant' })", []],
  ["throw new Error('It is not valid.')", []],
];
it.each(examples)('finds the sentences in %s', (source, sentences) => {
  expect(findSentences(source)).toEqual(sentences);
});
