import type { Context } from '../add-command.ts';
import { listPages } from '../list-pages.ts';
import type { Selector, SelectorOptions } from '../selector.ts';

export async function showGroup({ args: [id], options, client, ask, judged: selector, print }: Context<SelectorOptions, Selector>) {
  const group = await ask(client.groups.get(id!, selector));
  if (options.json) return print.json(group);
  const nested = await listPages((page) => ask(client.groups.nestedGroups(id!, { ...selector, ...page })), { all: true });
  return print.fields([
    ['Group', group.id],
    ['Name', group.name],
    ['Members', group.members?.length ?? 0],
    ...nested.map(({ id: inner, name }, at): [string, string] => [at === 0 ? 'Groups in it' : '', `${inner}  ${name}`]),
  ]);
}
