import { Option, type Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { eventTypes } from '../directory/event.ts';
import { toFeedQuery } from './events/feed-options.ts';
import { choices, directoryOption, productOption, tenantOption, time, wholeNumber } from './options.ts';

const where = () => [
  directoryOption('only of this directory'),
  tenantOption('only of this customer, with --product'),
  productOption('only of this application, with --tenant'),
  choices('--types <types>', 'only these types, by comma', eventTypes),
];
const after = () => new Option('--after <cursor>', 'go on behind this cursor').conflicts('since');

export function fillEvents(group: Command, choose: Choose): void {
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists events, the oldest first',
      options: [
        ...where(),
        time('--since <time>', 'from this time on, like 2026-11-21T08:43:54Z or 2h'),
        time('--until <time>', 'before this time'),
        after(),
        new Option('--newest', 'the newest first').conflicts('after'),
        wholeNumber('--limit <n>', 'at most so many; 50 if nothing is said', { min: 1, max: 1000 }),
        new Option('--all', 'page through to the end').conflicts('limit'),
      ],
      examples: [
        'rollcall events list --tenant acme --product crm --since 1d',
        'rollcall events list --types user.created,user.deleted --all --json',
      ],
      judge: toFeedQuery,
      load: async () => (await import('./events/list-events.ts')).listEvents,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'tail',
      summary: 'Follows events as they happen, until Ctrl-C',
      options: [...where(), time('--since <time>', 'begin with what happened since, like 15m'), after()],
      examples: ['rollcall events tail --tenant acme --product crm', 'rollcall events tail --since 15m --types user.created --json'],
      judge: toFeedQuery,
      load: async () => (await import('./events/tail-events.ts')).tailEvents,
    },
    choose,
  );
}
