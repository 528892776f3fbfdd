import type { HelpConfiguration } from 'commander';

/** How help looks: commands without their arguments in lists, and what an option may be in a few words. */
export const helpFormat: HelpConfiguration = {
  subcommandTerm: (command) => command.name(),
  optionDescription: ({ description, argChoices, mandatory, flags }) => {
    const words = argChoices !== undefined && !flags.includes('|') ? `: ${argChoices.join(', ')}` : '';
    return `${description}${words}${mandatory ? ' (needed)' : ''}`;
  },
};
