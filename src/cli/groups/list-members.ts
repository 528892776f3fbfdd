import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import type { Selector, SelectorOptions } from '../selector.ts';

export async function listMembers({
  args: [id],
  options,
  client,
  ask,
  judged: selector,
  print,
}: Context<SelectorOptions & PageOptions, Selector>) {
  const members = await listPages((page) => ask(client.groups.members(id!, { ...selector, ...page })), options);
  if (options.json) return print.json(members);
  if (members.length > 0) print.table([{ title: 'User', value: ({ user_id: user }) => user }], members);
  return noteExtent(print, members.length, 'members', options);
}
