import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { isId } from '../ids.ts';
import { addCommand, type Choose } from './add-command.ts';
import { readDeliveryId } from './deliveries.ts';
import { directoryArgument, time, wholeNumber } from './options.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';
const eventId = '0197a3d0-2f6c-7b85-b1a4-6c8e0f2a4d53';

const eventsArgument = () =>
  new Argument('[events...]', 'ids of single events').argParser((typed: string, before: string[] | undefined) => {
    if (!isId(typed)) throw new InvalidArgumentError(`must be an id like ${eventId}, not {}: \`rollcall events list --json\` shows ids.`);
    return [...(before ?? []), typed.toLowerCase()];
  });

export function addReplay(program: Command, choose: Choose): void {
  addCommand(
    program,
    {
      name: 'replay',
      summary: 'Sends events again that were delivered or passed over',
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
        `rollcall replay ${id} --from 120 --to 180`,
        `rollcall replay ${id} --since 2h`,
        `rollcall replay ${id} ${eventId}`,
        `rollcall replay ${id} --missing --dry-run`,
      ],
      load: async () => (await import('./replays/replay-events.ts')).replayEvents,
    },
    choose,
  );
}
