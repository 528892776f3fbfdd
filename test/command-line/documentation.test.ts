import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { exitCodes } from '../../src/command-line/exit-codes.ts';
import { fullName } from '../../src/command-line/explain-usage.ts';
import { createProgram } from '../../src/command-line/program.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8');
const program = await createProgram(['completion'], () => undefined);

const leaves = (command: Command): Command[] => (command.commands.length > 0 ? command.commands.flatMap(leaves) : [command]);

it('the page of the command line has every command and every exit code', () => {
  const missing = leaves(program)
    .map(fullName)
    .filter((name) => !page.includes(`\`${name}`));
  expect(missing).toEqual([]);
  expect([...page.matchAll(/^\| (\d) +\|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
});

it('the page of the command line names only options that there are', () => {
  const known = new Set(leaves(program).flatMap(({ options }) => options.map(({ long }) => long)));
  const named = [...page.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
  expect(named.filter((option) => option !== '--help' && !known.has(option))).toEqual([]);
});

it('every example of a command is one that it takes', async () => {
  const lines = leaves(program)
    .flatMap((command) => helpOf(command).match(/^ {2}rollcall .+$/gm) ?? [])
    .map((line) => line.trim().replace(/ > .*$/, ''));
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) {
    const words = line.split(' ').slice(1);
    let isChosen = false;
    const fresh = await createProgram(words, () => (isChosen = true));
    fresh.parse(words, { from: 'user' });
    expect([line, isChosen]).toEqual([line, true]);
  }
});

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
