import type { Command } from 'commander';
import { bashScript } from './bash-script.ts';
import { fishScript } from './fish-script.ts';
import { findPlaces } from './words.ts';
import { zshScript } from './zsh-script.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const completionScript = (shell: keyof typeof scripts, program: Command): string => scripts[shell](findPlaces(program));
