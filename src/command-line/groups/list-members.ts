import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import { toSelector, type SelectorOptions } from '../selector.ts';

export async function listMembers({ args: [id], options, client, ask, asked, print }: Context<SelectorOptions & PageOptions>) {
  const selector = toSelector(options, asked.example);
  const members = await listPages((page) => ask(client.groups.members(id!, { ...selector, ...page })), options);
  if (options.json) return print.json(members);
  if (members.length > 0) print.table([{ title: 'User', value: ({ user_id: user }) => user }], members);
  return noteExtent(print, members.length, 'members', options);
}
