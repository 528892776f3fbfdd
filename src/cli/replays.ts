import { Argument, Option, type Command } from 'commander';
import type { Replay, ReplayRequest } from '../client/index.ts';
import { createCommandAdder, registerCommand, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { parseDeliveryId } from './deliveries.ts';
import { pollUntilFinished } from './poll-until-finished.ts';
import { printList, type PageOptions } from './list-pages.ts';
import { directoryArgument, idArgument, integerOption, pageOptions, parseId, sampleIds, timeOption } from './options.ts';
import { pluralize, shortTime } from './output/format.ts';
import type { Printer } from './output/printer.ts';
import { createProgress, createStallDetector } from './output/progress.ts';
import { type ExitCode, UsageError, exitCodes } from './errors.ts';

const eventsArgument = () =>
  new Argument('[events...]', 'IDs of single events').argParser((typed: string, before: string[] | undefined) => [
    ...(before ?? []),
    parseId(typed, 'rollcall events list --json', sampleIds.event),
  ]);
const replayArgument = () => idArgument('replay', 'replay', 'rollcall replays list <directory>');

export function registerReplay(command: Command, select: Select): void {
  registerCommand(
    command,
    {
      arguments: [directoryArgument(), eventsArgument()],
      options: [
        integerOption('--from <sequence>', 'first event, by sequence number', { min: 1 }),
        integerOption('--to <sequence>', 'last event, by sequence number', { min: 1 }),
        timeOption('--since <time>', 'events at or after this time, such as 2026-11-21T08:43:54Z or 2h'),
        timeOption('--until <time>', 'events up to this time (default: now)'),
        new Option('--delivery <id>', 'all events of one delivery').argParser(parseDeliveryId),
        new Option('--failed', 'events that were attempted, failed and skipped; narrow with --since and --until').conflicts('missing'),
        new Option('--missing', 'events that were skipped without an attempt; narrow with --since and --until'),
        new Option('--dry-run', 'only count the events'),
        new Option('--no-wait', 'start the replay without waiting for its end'),
      ],
      examples: [
        `rollcall replay ${sampleIds.directory} --from 120 --to 180`,
        `rollcall replay ${sampleIds.directory} --since 2h --until 30m`,
        `rollcall replay ${sampleIds.directory} ${sampleIds.event}`,
        `rollcall replay ${sampleIds.directory} --delivery ${sampleIds.delivery}`,
        `rollcall replay ${sampleIds.directory} --failed --since 1d`,
        `rollcall replay ${sampleIds.directory} --missing --dry-run`,
      ],
      validate: (parsed) => toReplayRequests(parsed),
      action: replayEvents,
    },
    select,
  );
}

export function registerReplays(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List the replays of a directory, newest first',
    arguments: [directoryArgument()],
    options: pageOptions(),
    examples: [`rollcall replays list ${sampleIds.directory}`],
    action: listReplays,
  });
  add({
    name: 'show',
    summary: 'Show a replay',
    arguments: [replayArgument()],
    examples: [`rollcall replays show ${sampleIds.replay}`],
    action: showReplay,
  });
  add({
    name: 'cancel',
    summary: 'Cancel a replay',
    arguments: [directoryArgument(), replayArgument()],
    examples: [`rollcall replays cancel ${sampleIds.directory} ${sampleIds.replay}`],
    action: cancelReplay,
  });
}

type ReplayContext = Context<ReplayOptions & { wait: boolean }, ReplayRequest[]>;

async function replayEvents(context: ReplayContext): Promise<ExitCode> {
  const {
    args: [directory],
    options,
    client,
    unwrap,
    input: requests,
    print,
  } = context;
  const created = [];
  for (const request of requests) created.push(await unwrap(client.replays.create(directory!, request)));
  const replays = created.filter((one): one is Replay => 'id' in one);
  if (replays.length < created.length) {
    const total = created.reduce((sum, one) => sum + one.total, 0);
    if (options.json) print.json(created.length === 1 ? created[0] : created);
    else print.line(`${pluralize(total, 'event')} would be resent.`);
    return exitCodes.success;
  }
  const finished: Replay[] = [];
  for (const replay of replays) finished.push(options.wait ? await followReplay(context, replay) : replay);
  if (options.json) print.json(finished.length === 1 ? finished[0] : finished);
  else for (const replay of finished) print.line(describeResult(replay));
  return finished.every(({ status }) => ['done', 'running'].includes(status)) ? exitCodes.success : exitCodes.failed;
}

function followReplay({ shell, client, print, errorContext }: ReplayContext, { id, directory_id: directory }: Replay): Promise<Replay> {
  const progress = createProgress(shell);
  const isStalled = createStallDetector();
  return pollUntilFinished({
    read: () => client.replays.get(directory, id),
    isFinished: ({ status }) => status !== 'running',
    show: ({ done, total }) => {
      if (isStalled(done)) {
        progress.end();
        print.note(`No event was acknowledged for 10 seconds. To see why: rollcall deliveries list ${directory} --kind replay`);
      }
      progress.show({ text: 'Resending', done, total });
    },
    progress,
    errorContext,
  });
}

function describeResult({ id, status, done, total, reason, directory_id: directory }: Replay): string {
  const events = pluralize(total, 'event');
  if (status === 'done') return `Resent ${events}.`;
  if (status === 'running') return `Replay ${id} is resending ${events}. To check its progress: rollcall replays show ${id}`;
  if (status === 'canceled') return `Replay ${id} was canceled after ${done} of ${events}.`;
  return `Replay ${id} failed after ${done} of ${events}${reason ? ` (${reason})` : ''}. To see why: rollcall deliveries list ${directory} --kind replay`;
}

function listReplays(context: Context<PageOptions>): Promise<void> {
  const { args, client } = context;
  return printList(context, {
    fetchPage: (page) => client.replays.list(args[0]!, page),
    columns: [
      { title: 'ID', value: (replay) => replay.id },
      { title: 'Created', value: ({ created_at: at }) => shortTime(at) },
      { title: 'Mode', value: ({ mode }) => mode, wideOnly: true },
      { title: 'Status', value: ({ status }) => status },
      { title: 'Sent', value: ({ done, total }) => `${total === 0 ? 100 : Math.floor((done / total) * 100)}%`, alignRight: true },
      { title: 'Events', value: ({ done, total }) => `${done} of ${total}`, alignRight: true, wideOnly: true },
      { title: 'Reason', value: ({ reason }) => reason, mayShrink: true, wideOnly: true },
    ],
    noun: 'replays',
  });
}

async function showReplay({ args: [id], options, client, unwrap, print }: Context): Promise<void> {
  const replay = await unwrap(client.replays.find(id!));
  return options.json ? print.json(replay) : printReplay(print, replay);
}

async function cancelReplay({ args: [directory, id], options, client, unwrap, print }: Context): Promise<void> {
  const replay = await unwrap(client.replays.cancel(directory!, id!));
  return options.json ? print.json(replay) : printReplay(print, replay);
}

const printReplay = (print: Printer, replay: Replay): void =>
  print.fields([
    ['Replay', replay.id],
    ['Directory', replay.directory_id],
    ['Mode', replay.mode],
    ['Status', replay.status],
    ['Reason', replay.reason],
    ['Sent', `${replay.done} of ${pluralize(replay.total, 'event')}`],
    ['Created', shortTime(replay.created_at)],
    ['Finished', shortTime(replay.finished_at)],
  ]);

interface ReplayOptions {
  from?: number;
  to?: number;
  since?: string;
  until?: string;
  delivery?: string;
  failed?: boolean;
  missing?: boolean;
  dryRun?: boolean;
}

/** The ways to select events. Exactly one must be used. */
const selections = {
  events: 'event IDs',
  sequences: '--from and --to',
  times: '--since and --until',
  delivery: '--delivery',
  failed: '--failed',
  missing: '--missing',
} as const;

/** Several event IDs become several replays, which the service runs one after the other. */
function toReplayRequests(
  { args: [, ...events], options, exampleFor }: ParsedCommand<ReplayOptions>,
  now: () => number = Date.now,
): ReplayRequest[] {
  const { from, to, since, until, delivery, failed, missing } = options;
  const hasTimes = since !== undefined || until !== undefined;
  const isGiven: Record<keyof typeof selections, boolean> = {
    events: events.length > 0,
    sequences: from !== undefined || to !== undefined,
    times: hasTimes && !failed && !missing,
    delivery: delivery !== undefined,
    failed: failed === true,
    missing: missing === true,
  };
  const given = (Object.keys(selections) as (keyof typeof selections)[]).filter((one) => isGiven[one]);
  const reject: (message: string, flag?: string) => never = (message, flag) => {
    throw new UsageError(`${message} Example: ${exampleFor(flag)}`);
  };
  const [selection] = given;
  if (selection === undefined)
    reject(`Specify the events to resend: ${Object.values(selections).slice(0, -1).join(', ')} or ${selections.missing}.`);
  if (given.length > 1)
    reject(`Cannot combine ${selections[selection]} with ${selections[given[1]!]}.`, selections[selection].split(' ')[0]);
  const dryRun = options.dryRun ? { dry_run: true } : {};
  switch (selection) {
    case 'sequences':
      if (from === undefined || to === undefined) reject(from === undefined ? '--to requires --from.' : '--from requires --to.', '--from');
      if (to < from) reject('--to must not be less than --from.', '--from');
      return [{ mode: 'range', from_sequence: from, to_sequence: to, ...dryRun }];
    case 'times':
      if (since === undefined) reject('--until requires --since.', '--since');
      return [{ mode: 'range', from: since, to: until ?? new Date(now()).toISOString(), ...dryRun }];
    case 'delivery':
      return [{ mode: 'single', delivery_id: delivery, ...dryRun }];
    case 'failed':
    case 'missing':
      return [{ mode: selection, ...(since !== undefined && { since }), ...(until !== undefined && { until }), ...dryRun }];
    case 'events':
      return events.map((id) => ({ mode: 'single', event_id: id, ...dryRun }));
  }
}
