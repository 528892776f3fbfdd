import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { fullName } from '../../src/cli/explain-usage.ts';
import { fittingExample } from '../../src/cli/fitting-example.ts';
import { createProgram } from '../../src/cli/program.ts';

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
  for (const line of lines) expect([line, await isTaken(line)]).toEqual([line, true]);
});

it('every example that is shown for an option has it, and is one that the command takes', async () => {
  const shown = leaves(program).flatMap((command) =>
    command.options.map(({ long }) => ({ flag: long!, line: fittingExample(command, long) })),
  );
  for (const { line } of shown) expect([line, await isTaken(line)]).toEqual([line, true]);
  const without = shown.filter(({ flag, line }) => !line.split(' ').includes(flag)).map(({ flag }) => flag);
  // What takes any text is hardly mistyped.
  expect(without.filter((flag) => !/^--(after|google-.+|name|secret|webhook-secret)$/.test(flag))).toEqual([]);
});

async function isTaken(line: string): Promise<boolean> {
  const words = line.split(' ').slice(1);
  let isChosen = false;
  const fresh = await createProgram(words, () => (isChosen = true));
  fresh.parse(words, { from: 'user' });
  return isChosen;
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
