import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import type { Selector, SelectorOptions } from '../selector.ts';

export async function listUsers({ options, client, ask, judged: selector, print }: Context<SelectorOptions & PageOptions, Selector>) {
  const users = await listPages((page) => ask(client.users.list({ ...selector, ...page })), options);
  if (options.json) return print.json(users);
  if (users.length > 0)
    print.table(
      [
        { title: 'Id', value: ({ id }) => id },
        { title: 'E-mail', value: ({ email }) => email, mayShrink: true },
        { title: 'Name', value: ({ first_name: first, last_name: last }) => `${first} ${last}`.trim(), mayShrink: true },
        { title: 'Active', value: ({ active }) => (active ? 'yes' : 'no') },
      ],
      users,
    );
  return noteExtent(print, users.length, 'users', options);
}
