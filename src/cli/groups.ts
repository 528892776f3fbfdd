import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryOption, idArgument, pageOptions, productOption, tenantOption } from './options.ts';
import { examples } from './example-ids.ts';
import { toSelector } from './selector.ts';

const where = () => [tenantOption(), productOption(), directoryOption()];
const groupArgument = () => idArgument('group', 'group', '`rollcall groups list`');

export function fillGroups(group: Command, choose: Choose): void {
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the groups of a tenant and product, or of one directory',
      options: [...where(), ...pageOptions()],
      examples: ['rollcall groups list --tenant acme --product crm'],
      judge: toSelector,
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
      examples: [`rollcall groups show ${examples.group} --tenant acme --product crm`],
      judge: toSelector,
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
      examples: [
        `rollcall groups members ${examples.group} --tenant acme --product crm`,
        `rollcall groups members ${examples.group} --tenant acme --product crm --all`,
      ],
      judge: toSelector,
      load: async () => (await import('./groups/list-members.ts')).listMembers,
    },
    choose,
  );
}
