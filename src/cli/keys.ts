import { Option, type Command } from 'commander';
import { registerPlainCommand, type Select } from './command.ts';
import { jsonOption } from './options.ts';

export function registerKeys(parent: Command, select: Select): void {
  const rewrap = parent
    .command('rewrap')
    .description('Re-encrypt everything with the first key in ENCRYPTION_KEYS, and report which keys are unused');
  registerPlainCommand(
    rewrap,
    {
      options: [
        new Option('--plan', 'only count what is encrypted with which key'),
        new Option('--without-temporal', 'skip workflows: only for the library without Temporal'),
        jsonOption(),
      ],
      examples: ['rollcall keys rewrap --plan', 'rollcall keys rewrap'],
      run: async (shell) => (await import('./keys/rewrap-keys.ts')).rewrapKeys(rewrap.opts(), shell),
    },
    select,
  );
}
