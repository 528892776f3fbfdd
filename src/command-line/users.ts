import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryOption, idArgument, pageOptions, productOption, tenantOption } from './options.ts';

const id = '0197a3c4-9d2f-7a10-8c55-7e1b3f5d9a20';

export function addUsers(program: Command, choose: Choose): void {
  const group = program.command('users').description('Users, as the providers pushed them');
  const where = () => [tenantOption(), productOption(), directoryOption()];
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the users of a tenant and product, or of one directory',
      options: [...where(), ...pageOptions()],
      examples: ['rollcall users list --tenant acme --product crm', 'rollcall users list --tenant acme --product crm --all --json'],
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
      examples: [`rollcall users show ${id} --tenant acme --product crm`],
      load: async () => (await import('./users/show-user.ts')).showUser,
    },
    choose,
  );
}
