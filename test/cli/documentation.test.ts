import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { createProgram } from '../../src/cli/run.ts';
import { commandName } from '../../src/cli/usage-errors.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import { findExample } from '../../src/cli/options.ts';

const page = readFileSync(join(packageRoot, 'docs/reference/cli.md'), 'utf8');
const program = await createProgram(['completion'], () => undefined);

const leaves = (command: Command): Command[] => (command.commands.length > 0 ? command.commands.flatMap(leaves) : [command]);

it('the command line page documents every command and every exit code', () => {
  const missing = leaves(program)
    .map(commandName)
    .filter((name) => !page.includes(`\`rollcall ${name}`));
  expect(missing).toEqual([]);
  expect([...page.matchAll(/^\| (\d) +\|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
});

it('the command line page mentions only options that exist', () => {
  const known = new Set(leaves(program).flatMap(({ options }) => options.map(({ long }) => long)));
  const named = [...page.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
  expect(named.filter((option) => option !== '--help' && !known.has(option))).toEqual([]);
});

it('every example in the help of a command is valid', async () => {
  const lines = leaves(program)
    .flatMap((command) => helpOf(command).match(/^ {2}rollcall .+$/gm) ?? [])
    .map((line) => line.trim());
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) expect([line, await isValid(line)]).toEqual([line, true]);
});

it('every example for an option contains the option and is valid', async () => {
  const shown = leaves(program).flatMap((command) =>
    command.options.map(({ long }) => ({ flag: long!, line: findExample(command, long) })),
  );
  for (const { line } of shown) expect([line, await isValid(line)]).toEqual([line, true]);
  const without = shown.filter(({ flag, line }) => !line.split(' ').includes(flag)).map(({ flag }) => flag);
  // Options that accept any text need no example.
  expect(without.filter((flag) => !/^--(actor|after|entra-.+|google-.+|name|secret|target|webhook-secret)$/.test(flag))).toEqual([]);
});

async function isValid(line: string): Promise<boolean> {
  const words = line
    .replace(/ > .*$/, '')
    .split(' ')
    .slice(1);
  let isSelected = false;
  const fresh = await createProgram(words, () => (isSelected = true));
  fresh.parse(words, { from: 'user' });
  return isSelected;
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

it('the options in the help of every command fit 80 columns', () => {
  const wide = leaves(program).flatMap((command) =>
    helpOf(command)
      .split(/^Examples?:$/m)[0]!
      .split('\n')
      .filter((line) => line.length > 80),
  );
  expect(wide).toEqual([]);
});
