import { Argument, type Command } from 'commander';
import { registerPlainCommand, type Select } from './command.ts';
import { bashScript } from './completion/bash-script.ts';
import { fishScript } from './completion/fish-script.ts';
import { findPlaces } from './completion/places.ts';
import { zshScript } from './completion/zsh-script.ts';
import { exitCodes } from './exit-codes.ts';
import { parseEnum } from './options.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
const shells = Object.keys(scripts);

export function registerCompletion(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      arguments: [new Argument('<shell>', 'bash, zsh or fish').choices(shells).argParser((typed: string) => parseEnum(typed, shells))],
      examples: [
        'source <(rollcall completion bash)',
        'rollcall completion zsh > "${fpath[1]}/_rollcall"',
        'rollcall completion fish > ~/.config/fish/completions/rollcall.fish',
      ],
      run: async ({ stdout }) => {
        stdout.write(scripts[command.args[0] as keyof typeof scripts](findPlaces(command.parent!)));
        return exitCodes.success;
      },
    },
    select,
  );
}
