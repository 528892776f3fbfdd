import type { Command, Option } from 'commander';
import { wantsFile } from '../options.ts';

/** What can be typed at a place: behind `rollcall`, or behind `rollcall directories create`. */
export interface Place {
  /** The words that lead there, without `rollcall`. */
  path: string;
  words: Word[];
  options: OptionWord[];
}

export interface Word {
  name: string;
  summary: string;
}

export interface OptionWord extends Word {
  /** What it takes, if anything. */
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
    options: [...command.options.flatMap(toWord), { name: '--help', summary: 'help for this command', takes: 'nothing' }],
  };
  return [place, ...command.commands.flatMap((one) => findPlaces(one, [...path, one.name()]))];
}

const helpWords = ({ parent }: Command): Word[] => [
  ...(parent?.commands.map((one) => ({ name: one.name(), summary: one.description() })) ?? []),
  { name: 'exit-codes', summary: 'what the exit codes mean' },
];

function toWord(option: Option): OptionWord[] {
  const { long, description } = option;
  if (!long) return [];
  const isFlag = !option.required && !option.optional;
  return [{ name: long, summary: description, takes: isFlag ? 'nothing' : wantsFile(option) ? 'file' : (option.argChoices ?? 'value') }];
}
