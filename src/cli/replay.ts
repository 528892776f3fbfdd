import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { isId } from '../ids.ts';
import { fillCommand, type Choose } from './add-command.ts';
import { readDeliveryId } from './deliveries.ts';
import { directoryArgument, time, wholeNumber } from './options.ts';
import { toReplayRequests } from './replays/replay-request.ts';
import { examples } from './example-ids.ts';

const eventsArgument = () =>
  new Argument('[events...]', 'ids of single events').argParser((typed: string, before: string[] | undefined) => {
    if (!isId(typed))
      throw new InvalidArgumentError(`must be an id like ${examples.event}, not {}: \`rollcall events list --json\` shows ids.`);
    return [...(before ?? []), typed.toLowerCase()];
  });

export function fillReplay(command: Command, choose: Choose): void {
  fillCommand(
    command,
    {
      arguments: [directoryArgument(), eventsArgument()],
      options: [
        wholeNumber('--from <sequence>', 'from this event on, by its number', { min: 1 }),
        wholeNumber('--to <sequence>', 'up to this one, itself included', { min: 1 }),
        time('--since <time>', 'from this time on, like 2026-11-21T08:43:54Z or 2h'),
        time('--until <time>', 'up to this time; now if nothing is said'),
        new Option('--delivery <id>', 'all of one delivery').argParser(readDeliveryId),
        new Option('--failed', 'what was tried, failed and was passed over; --since and --until bound it').conflicts('missing'),
        new Option('--missing', 'what was passed over and never tried; --since and --until bound it'),
        new Option('--dry-run', 'only count'),
        new Option('--no-wait', 'do not wait for its end'),
      ],
      examples: [
        `rollcall replay ${examples.directory} --from 120 --to 180`,
        `rollcall replay ${examples.directory} --since 2h --until 30m`,
        `rollcall replay ${examples.directory} ${examples.event}`,
        `rollcall replay ${examples.directory} --delivery ${examples.delivery}`,
        `rollcall replay ${examples.directory} --failed --since 1d`,
        `rollcall replay ${examples.directory} --missing --dry-run`,
      ],
      judge: (typed) => toReplayRequests(typed),
      load: async () => (await import('./replays/replay-events.ts')).replayEvents,
    },
    choose,
  );
}
