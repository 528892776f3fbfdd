import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import type { Selector, SelectorOptions } from '../selector.ts';

export async function listGroups({ options, client, ask, judged: selector, print }: Context<SelectorOptions & PageOptions, Selector>) {
  const groups = await listPages((page) => ask(client.groups.list({ ...selector, ...page })), options);
  if (options.json) return print.json(groups);
  if (groups.length > 0)
    print.table(
      [
        { title: 'Id', value: ({ id }) => id },
        { title: 'Name', value: ({ name }) => name, mayShrink: true },
      ],
      groups,
    );
  return noteExtent(print, groups.length, 'groups', options);
}
