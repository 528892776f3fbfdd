import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryOption, idArgument, pageOptions, productOption, tenantOption } from './options.ts';
import { examples } from './example-ids.ts';
import { toSelector } from './selector.ts';

const where = () => [tenantOption(), productOption(), directoryOption()];

export function fillUsers(group: Command, choose: Choose): void {
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the users of a tenant and product, or of one directory',
      options: [...where(), ...pageOptions()],
      examples: ['rollcall users list --tenant acme --product crm', 'rollcall users list --tenant acme --product crm --all --json'],
      judge: toSelector,
      load: async () => (await import('./users/list-users.ts')).listUsers,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'show',
      summary: 'Shows a user',
      arguments: [idArgument('user', 'user', '`rollcall users list`')],
      options: where(),
      examples: [`rollcall users show ${examples.user} --tenant acme --product crm`],
      judge: toSelector,
      load: async () => (await import('./users/show-user.ts')).showUser,
    },
    choose,
  );
}
