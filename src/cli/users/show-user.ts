import type { Context } from '../add-command.ts';
import type { Selector, SelectorOptions } from '../selector.ts';

export async function showUser({ args: [id], options, client, ask, judged: selector, print }: Context<SelectorOptions, Selector>) {
  const user = await ask(client.users.get(id!, selector));
  if (options.json) return print.json(user);
  print.fields([
    ['User', user.id],
    ['E-mail', user.email],
    ['First name', user.first_name],
    ['Last name', user.last_name],
    ['Active', user.active ? 'yes' : 'no'],
  ]);
  return print.note('--json shows all that the provider pushed.');
}
