import type { Context } from '../add-command.ts';
import { toSelector, type SelectorOptions } from '../selector.ts';

export async function showUser({ args: [id], options, client, ask, asked, print }: Context<SelectorOptions>) {
  const user = await ask(client.users.get(id!, toSelector(options, asked.example)));
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
