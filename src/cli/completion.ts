import { Argument, type Command } from 'commander';
import { fillPlainCommand, type Choose } from './add-command.ts';
import { exitCodes } from './exit-codes.ts';
import { readWord } from './options.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof shells)[number];

export function fillCompletion(command: Command, choose: Choose): void {
  fillPlainCommand(
    command,
    {
      arguments: [new Argument('<shell>', 'bash, zsh or fish').choices(shells).argParser((typed: string) => readWord(typed, shells))],
      examples: [
        'source <(rollcall completion bash)',
        'rollcall completion zsh > "${fpath[1]}/_rollcall"',
        'rollcall completion fish > ~/.config/fish/completions/rollcall.fish',
      ],
      run: async ({ stdout }) => {
        const { completionScript } = await import('./completion/completion-script.ts');
        stdout.write(completionScript(command.args[0] as ShellName, command.parent!));
        return exitCodes.done;
      },
    },
    choose,
  );
}
