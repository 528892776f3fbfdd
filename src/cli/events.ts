import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import type { DirectoryEvent, EventPage } from '../client/index.ts';
import { eventTypes } from '../directory/event.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { type ExitCode, UsageError, exitCodes, noResponseFrom, toCommandError } from './errors.ts';
import { directoryOption, enumListOption, integerOption, productOption, tenantOption, timeOption, wideOption } from './options.ts';
import { formatSequence, shortTime } from './output/format.ts';
import type { Printer } from './output/printer.ts';
import { transientCodes } from './poll-until-finished.ts';

const filterOptions = () => [
  directoryOption('only events of this directory'),
  tenantOption('only events of this tenant; requires --product'),
  productOption('only events of this product; requires --tenant'),
  enumListOption('--types <types>', 'only these event types, comma-separated', eventTypes),
];
const afterOption = () => new Option('--after <cursor>', 'continue after this cursor').conflicts('since');

export function registerEvents(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List events, oldest first',
    options: [
      ...filterOptions(),
      timeOption('--since <time>', 'at or after this time, such as 2026-11-21T08:43:54Z or 2h'),
      timeOption('--until <time>', 'before this time'),
      afterOption(),
      new Option('--newest', 'newest first').conflicts('after'),
      integerOption('--limit <n>', 'maximum number of results (default: 50)', { min: 1, max: 1000 }),
      new Option('--all', 'fetch all pages').conflicts('limit'),
      wideOption(),
    ],
    examples: [
      'rollcall events list --tenant acme --product crm --since 1d',
      'rollcall events list --types user.created,user.deleted --all --json',
    ],
    validate: toFilter,
    action: listEvents,
  });
  add({
    name: 'tail',
    summary: 'Print events as they happen, until Ctrl-C',
    options: [
      ...filterOptions(),
      timeOption('--since <time>', 'start with events since this time, such as 15m (default: now)'),
      afterOption(),
    ],
    examples: ['rollcall events tail --tenant acme --product crm', 'rollcall events tail --since 15m --types user.created --json'],
    validate: toFilter,
    action: tailEvents,
  });
}

interface FilterOptions {
  directory?: string;
  tenant?: string;
  product?: string;
  types?: string;
}

type Filter = ReturnType<typeof toFilter>;

function toFilter({ options: { directory, tenant, product, types }, exampleFor }: ParsedCommand<FilterOptions>) {
  if (directory === undefined && (tenant === undefined) !== (product === undefined)) {
    const [given, missing] = tenant === undefined ? ['--product', '--tenant'] : ['--tenant', '--product'];
    throw new UsageError(`${given} requires ${missing}. Example: ${exampleFor('--tenant')}`);
  }
  return { directory_id: directory, tenant, product, events: types };
}

interface ListOptions extends FilterOptions {
  since?: string;
  until?: string;
  after?: string;
  newest?: boolean;
  limit?: number;
  all?: boolean;
}

async function listEvents({ options, client, errorContext, input, print }: Context<ListOptions, Filter>): Promise<void> {
  const { since, until, newest, limit = 50, all, wide, directory, product } = options;
  const query = { ...input, range_end: until, order: newest ? ('desc' as const) : ('asc' as const) };
  const events: DirectoryEvent[] = [];
  let after = options.after;
  let metadata: EventPage['list_metadata'];
  do {
    const start = after === undefined ? { range_start: since } : { after };
    const page = await client.events.list({ ...query, ...start, limit: all ? 1000 : limit - events.length });
    if (page.error) throw toCommandError(page.error, errorContext);
    events.push(...page.data);
    metadata = page.list_metadata;
    after = metadata.after ?? undefined;
  } while (metadata.has_more && after !== undefined && (all || events.length < limit));
  if (options.json) return print.json({ data: events, list_metadata: metadata });
  if (events.length === 0) return print.note('No events found.');
  const isOfOne = directory !== undefined || product !== undefined;
  print.table(
    [
      { title: 'Time', value: ({ occurred_at: at }) => shortTime(at) },
      { title: 'Directory', value: ({ directory_id: id }) => id, wideOnly: true },
      { title: 'Tenant/product', value: (event) => `${event.tenant}/${event.product}`, mayShrink: true, wideOnly: isOfOne },
      { title: 'No.', value: ({ sequence }) => sequence, alignRight: true },
      { title: 'Event', value: ({ event }) => event },
      { title: 'Subject', value: describeSubject, mayShrink: true },
    ],
    events,
    { wide },
  );
  if (metadata.has_more && after !== undefined) print.note(`There are more events. Use --after ${after} for the next page.`);
  const deleted = events.find(({ data }) => data === null);
  if (deleted) noteDeleted(print, deleted);
}

interface TailOptions extends FilterOptions {
  since?: string;
  after?: string;
}

const waitSeconds = 20;
const [minPauseMs, maxPauseMs] = [250, 5_000];

/** Reads the feed from its cursor, so that an outage of the service neither loses nor repeats an event. */
async function tailEvents({ options, client, errorContext, input: filter, print }: Context<TailOptions, Filter>): Promise<ExitCode> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  let cursor = options.after;
  let since = options.since;
  let hasNotedDeleted = false;
  // The newest event of any type: everything after it is new.
  if (cursor === undefined && since === undefined)
    cursor = await read({ ...filter, events: undefined, order: 'desc', limit: 1 }, true).then((page) => page?.after);
  if (!options.json && !stopping.signal.aborted) print.note('Waiting for events (Ctrl-C to stop)');
  while (!stopping.signal.aborted) {
    const page = await read(
      { ...filter, wait: waitSeconds, limit: 100, ...(cursor === undefined ? { range_start: since } : { after: cursor }) },
      false,
    );
    if (!page) break;
    for (const event of page.events) show(event);
    noteFirstDeleted(page.events);
    cursor = page.after ?? cursor;
    if (cursor !== undefined) since = undefined;
  }
  if (cursor !== undefined) print.note(`Resume with --after ${cursor}`);
  return exitCodes.success;

  /** Resolves to undefined when stopped. The first request is not retried: the URL may be wrong. */
  async function read(
    request: Parameters<typeof client.events.list>[0],
    isFirst: boolean,
  ): Promise<{ events: DirectoryEvent[]; after: string | undefined } | undefined> {
    for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const page = await client.events.list(request, { signal: stopping.signal });
      if (stopping.signal.aborted) return undefined;
      if (!page.error) {
        if (pauseMs > minPauseMs) print.note('Reconnected.');
        return { events: page.data, after: page.list_metadata.after ?? undefined };
      }
      if (isFirst || !transientCodes.has(page.error.code)) throw toCommandError(page.error, errorContext);
      if (pauseMs === minPauseMs) print.note(`${describeOutage(page.error)} Retrying…`);
      const waitMs = Math.max(pauseMs, (page.error.retryAfterSeconds ?? 0) * 1_000);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return undefined;
    }
  }

  function describeOutage(error: Parameters<typeof toCommandError>[0]): string {
    return error.code === 'unreachable' ? `${noResponseFrom(errorContext.baseUrl, error)}.` : toCommandError(error, errorContext).message;
  }

  function noteFirstDeleted(events: DirectoryEvent[]): void {
    const deleted = options.json || hasNotedDeleted ? undefined : events.find(({ data }) => data === null);
    if (!deleted) return;
    hasNotedDeleted = true;
    noteDeleted(print, deleted);
  }

  function show(event: DirectoryEvent): void {
    if (options.json) return print.jsonLine(event);
    const { occurred_at: at, tenant, product, sequence, event: type } = event;
    return print.line(
      [shortTime(at), `${tenant}/${product}`, formatSequence(sequence), type.padEnd(18), describeSubject(event)]
        .map((word) => word.replaceAll('\n', ' '))
        .join('  '),
    );
  }
}

const noteDeleted = (print: Printer, { directory_id: directory }: DirectoryEvent): void =>
  print.note(`Event bodies are deleted after delivery. To keep them: rollcall directories update ${directory} --log-webhook-events true`);

/** The user or group that an event is about. Applications must act when a user becomes inactive. */
export function describeSubject({ event, data }: Pick<DirectoryEvent, 'event' | 'data'>): string {
  if (data === null) return '(body deleted)';
  const name = ('email' in data ? data.email : data.name) || data.id;
  if ('group' in data) return `${name} in ${data.group.name}`;
  return 'active' in data && !data.active && event !== 'user.deleted' ? `${name} (inactive)` : name;
}
