import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryOption, idArgument, pageOptions, productOption, tenantOption } from './options.ts';

const id = '0197a3c5-11b3-7f42-a6d8-90c2e4f60b31';

export function addGroups(program: Command, choose: Choose): void {
  const group = program.command('groups').description('Groups, and who is in them');
  const where = () => [tenantOption(), productOption(), directoryOption()];
  const groupArgument = () => idArgument('group', 'group', '`rollcall groups list`');
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the groups of a tenant and product, or of one directory',
      options: [...where(), ...pageOptions()],
      examples: ['rollcall groups list --tenant acme --product crm'],
      load: async () => (await import('./groups/list-groups.ts')).listGroups,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'show',
      summary: 'Shows a group, and the groups in it',
      arguments: [groupArgument()],
      options: where(),
      examples: [`rollcall groups show ${id} --tenant acme --product crm`],
      load: async () => (await import('./groups/show-group.ts')).showGroup,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'members',
      summary: 'Lists the users in a group',
      arguments: [groupArgument()],
      options: [...where(), ...pageOptions()],
      examples: [`rollcall groups members ${id} --tenant acme --product crm --all`],
      load: async () => (await import('./groups/list-members.ts')).listMembers,
    },
    choose,
  );
}
