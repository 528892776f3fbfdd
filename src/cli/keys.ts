import { Option, type Command } from 'commander';
import { fillPlainCommand, type Choose } from './add-command.ts';
import { jsonOption } from './options.ts';

export function registerKeys(group: Command, choose: Choose): void {
  const rewrap = group
    .command('rewrap')
    .description('Encrypts everything with the first key that is encrypted with an older one, and says which keys are unused');
  fillPlainCommand(
    rewrap,
    {
      options: [
        new Option('--plan', 'only count what is encrypted with which key'),
        new Option('--without-temporal', 'for the library without Temporal: there are no workflows to look at'),
        jsonOption(),
      ],
      examples: ['rollcall keys rewrap --plan', 'rollcall keys rewrap'],
      run: async (shell) => (await import('./keys/rewrap-keys.ts')).rewrapKeys(rewrap.opts(), shell),
    },
    choose,
  );
}
