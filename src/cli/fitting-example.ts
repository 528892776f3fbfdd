import type { Command } from 'commander';
import { sampleOf } from './options.ts';

/** An example of a command; of one of its options, if that is what went wrong. */
export type ExampleFor = (flag?: string) => string;

const kept = new WeakMap<Command, readonly [string, ...string[]]>();

export function keepExamples(command: Command, examples: readonly [string, ...string[]]): void {
  kept.set(command, examples);
}

export const firstExample = (command: Command): string | undefined => kept.get(command)?.[0];

/** One that has the option already, or the first with the option behind it. */
export function fittingExample(command: Command, flag?: string): string {
  const [first, ...others] = kept.get(command) ?? ['rollcall help'];
  const option = flag === undefined ? undefined : command.options.find(({ long }) => long === flag);
  if (!option) return first;
  const own = [first, ...others].find((example) => example.split(' ').includes(flag!));
  if (own !== undefined) return own;
  const takesValue = option.required || option.optional;
  const sample = sampleOf(option);
  if (!takesValue) return `${first} ${flag}`;
  return sample === undefined ? first : `${first} ${flag} ${sample}`;
}
