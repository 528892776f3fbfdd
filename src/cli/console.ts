import type { Command } from 'commander';
import { createCommandAdder, type Select } from './command.ts';
import { shortTime } from './output/format.ts';

export function registerConsole(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'login',
    summary: 'Print a link that signs in once, within ten minutes, with the rights of the API key',
    examples: ['rollcall console login'],
    action: async ({ client, unwrap, print, options }) => {
      const link = await unwrap(client.sessions.createLoginLink());
      if (options.json) return print.json(link);
      print.line(link.url);
      print.note(`Open it in a browser until ${shortTime(link.expires_at)}. It works once.`);
    },
  });
  add({
    name: 'sign-out-all',
    summary: 'End the sessions of everyone who has signed in with a browser; API keys stay valid',
    examples: ['rollcall console sign-out-all'],
    action: async ({ client, unwrap, print, options }) => {
      const { ended } = await unwrap(client.sessions.endAll());
      if (options.json) print.json({ ended });
      else print.line(ended === 1 ? 'Ended 1 session.' : `Ended ${ended} sessions.`);
    },
  });
}
