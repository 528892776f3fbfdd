import type { Command, Option } from 'commander';
import { takesFile } from '../options.ts';

/** What can be completed after `rollcall`, or after `rollcall directories create`. */
export interface Place {
  /** The commands before it, without `rollcall`. */
  path: string;
  words: Word[];
  options: OptionWord[];
}

export interface Word {
  name: string;
  summary: string;
}

export interface OptionWord extends Word {
  takes: 'nothing' | 'file' | 'value' | string[];
}

export function findPlaces(command: Command, path: string[] = []): Place[] {
  const place: Place = {
    path: path.join(' '),
    words: [
      ...command.commands.map((one) => ({ name: one.name(), summary: one.description() })),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices?.map((name) => ({ name, summary: '' })) ?? []),
      ...(path.join(' ') === 'help' ? helpWords(command) : []),
    ],
    options: [...command.options.flatMap(toWord), { name: '--help', summary: 'show help', takes: 'nothing' }],
  };
  return [place, ...command.commands.flatMap((one) => findPlaces(one, [...path, one.name()]))];
}

const helpWords = ({ parent }: Command): Word[] => [
  ...(parent?.commands.map((one) => ({ name: one.name(), summary: one.description() })) ?? []),
  { name: 'exit-codes', summary: 'list the exit codes' },
];

function toWord(option: Option): OptionWord[] {
  const { long, description } = option;
  if (!long) return [];
  const isFlag = !option.required && !option.optional;
  return [{ name: long, summary: description, takes: isFlag ? 'nothing' : takesFile(option) ? 'file' : (option.argChoices ?? 'value') }];
}

/** For the scripts: all commands, and all options that take a value. */
export const pathsOf = (places: Place[]): string[] => places.flatMap(({ path }) => (path === '' ? [] : path));
export const valueFlagsOf = (places: Place[]): string[] => [
  ...new Set(places.flatMap(({ options }) => options.filter(({ takes }) => takes !== 'nothing').map(({ name }) => name))),
];
