import type { Command, Option } from 'commander';

/** Realistic IDs for help texts and error messages. */
export const sampleIds = {
  directory: '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11',
  user: '0197a3c4-9d2f-7a10-8c55-7e1b3f5d9a20',
  group: '0197a3c5-11b3-7f42-a6d8-90c2e4f60b31',
  event: '0197a3d0-2f6c-7b85-b1a4-6c8e0f2a4d53',
  delivery: 'msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA',
  replay: '0197a3d4-8e11-7d27-9c3b-5f7a9b1d3e64',
  run: '0197a3e1-40b7-7e93-8d25-1a3c5e7f9b86',
} as const;

const sampleValues = new WeakMap<Option, string>();

export function withSample(sample: string, option: Option): Option {
  sampleValues.set(option, sample);
  return option;
}
export const sampleOf = (option: Option): string | undefined => sampleValues.get(option);

/** Gives an example of a command, preferably one that uses the option. */
export type ExampleFor = (flag?: string) => string;

const commandExamples = new WeakMap<Command, readonly [string, ...string[]]>();

export function setExamples(command: Command, examples: readonly [string, ...string[]]): void {
  commandExamples.set(command, examples);
}

export const firstExample = (command: Command): string | undefined => commandExamples.get(command)?.[0];

/** The example that has the option, or the first one with the option appended. */
export function findExample(command: Command, flag?: string): string {
  const [first, ...others] = commandExamples.get(command) ?? ['rollcall help'];
  const option = flag === undefined ? undefined : command.options.find(({ long }) => long === flag);
  if (!option) return first;
  const matching = [first, ...others].find((example) => example.split(' ').includes(flag!));
  if (matching !== undefined) return matching;
  if (!option.required && !option.optional) return `${first} ${flag}`;
  const sample = sampleOf(option);
  return sample === undefined ? first : `${first} ${flag} ${sample}`;
}
