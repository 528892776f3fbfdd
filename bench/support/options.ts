import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartupError } from '../../src/errors.ts';

export type Side = 'rollcall' | 'ancestor';

export interface Options {
  /** Of one slice of the load. */
  seconds: number;
  rounds: number;
  writers: number[];
  directories: number[];
  sides: Side[];
  jsonFile: string | undefined;
}

export const optionLines = [
  '--seconds 3           length of a slice of load',
  '--rounds 3            slices for each side and row; starts for `start`',
  '--writers 1,8,32,64   writers at once',
  '--directories 1,32    directories that they write to',
  '--only rollcall       one side only: rollcall or ancestor',
  '--json FILE           writes the raw figures too',
];

export function readOptions(args: string[]): { name: string | undefined; options: Options } {
  const { values, positionals } = parse(args);
  const only = values.only;
  if (only !== undefined && only !== 'rollcall' && only !== 'ancestor') throw new StartupError('--only wants rollcall or ancestor.');
  return {
    name: positionals[0],
    options: {
      seconds: readNumber('--seconds', values.seconds),
      rounds: Math.ceil(readNumber('--rounds', values.rounds)),
      writers: readCounts('--writers', values.writers),
      directories: readCounts('--directories', values.directories),
      sides: only ? [only] : ['rollcall', 'ancestor'],
      jsonFile: values.json === undefined ? undefined : resolve(values.json),
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        seconds: { type: 'string', default: '3' },
        rounds: { type: 'string', default: '3' },
        writers: { type: 'string', default: '1,8,32,64' },
        directories: { type: 'string', default: '1,32' },
        only: { type: 'string' },
        json: { type: 'string' },
      },
    });
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new StartupError(`${name} wants a number above 0.`);
  return value;
}

function readCounts(name: string, text: string): number[] {
  const counts = text.split(',').map(Number);
  if (!counts.every((count) => Number.isInteger(count) && count > 0))
    throw new StartupError(`${name} wants whole numbers by comma, like 1,8.`);
  return counts;
}
