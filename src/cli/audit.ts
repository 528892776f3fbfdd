import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { type AuditAction, auditActions } from '../audit/act.ts';
import type { ChainLink, ChainedEntry } from '../audit/ports.ts';
import { type ChainProblem, createChainVerifier } from '../audit/verify-chain.ts';
import type { AuditEntry } from '../client/index.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { CommandError, type ExitCode, UsageError, exitCodes, toCommandError } from './errors.ts';
import {
  directoryOption,
  enumListOption,
  enumOption,
  integerOption,
  productOption,
  tenantOption,
  timeOption,
  wideOption,
} from './options.ts';
import { shortTime } from './output/format.ts';
import { transientCodes } from './poll-until-finished.ts';

const actions = Object.keys(auditActions) as AuditAction[];

const filterOptions = () => [
  new Option('--actor <id>', 'only entries of this actor, such as root_1'),
  enumListOption('--actions <actions>', 'only these actions, comma-separated', actions),
  new Option('--target <id>', 'only entries about this target'),
  directoryOption('only entries about this directory'),
  tenantOption('only entries about directories of this tenant'),
  productOption('only entries about directories of this product'),
];
const periodOptions = () => [
  timeOption('--since <time>', 'at or after this time, such as 2026-11-21T08:43:54Z or 2h'),
  timeOption('--until <time>', 'before this time'),
];

export function registerAudit(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List entries, newest first',
    options: [
      ...filterOptions(),
      ...periodOptions(),
      integerOption('--limit <n>', 'maximum number of results (default: 50)', { min: 1, max: 1000 }),
      wideOption(),
    ],
    examples: ['rollcall audit list --since 1d', 'rollcall audit list --actions directory.deleted --tenant acme --json'],
    validate: toFilter,
    action: listEntries,
  });
  add({
    name: 'tail',
    summary: 'Print entries as they are added, until Ctrl-C',
    options: filterOptions(),
    examples: ['rollcall audit tail', 'rollcall audit tail --actions sign_in.refused --json'],
    validate: toFilter,
    action: tailEntries,
  });
  add({
    name: 'export',
    summary: 'Print all entries, oldest first, as JSON Lines or CSV',
    options: [...filterOptions(), ...periodOptions(), enumOption('--format <format>', 'the format (default: jsonl)', ['jsonl', 'csv'])],
    examples: ['rollcall audit export > audit.jsonl', 'rollcall audit export --since 30d --format csv > audit.csv'],
    validate: toFilter,
    action: exportEntries,
  });
  add({
    name: 'verify',
    summary: 'Check that no entry was changed, removed or added later',
    arguments: [new Argument('[file]', 'an export in JSON Lines, to check it instead of the service')],
    options: [new Option('--expect <position:hash>', 'an entry of an earlier check, which must still be there').argParser(parseLink)],
    examples: [
      'rollcall audit verify',
      'rollcall audit verify audit.jsonl',
      'rollcall audit verify --expect 41:923fe53966c6cd9343e11af776cd4b05be315ea4b200b02e4d5dfb0f929b73bf',
    ],
    action: verify,
  });
}

interface FilterOptions {
  actor?: string;
  actions?: string;
  target?: string;
  directory?: string;
  tenant?: string;
  product?: string;
  since?: string;
  until?: string;
}

type Filter = ReturnType<typeof toFilter>;

function toFilter({ options, exampleFor }: ParsedCommand<FilterOptions>) {
  const { actor, actions: action, target, directory, tenant, product, since, until } = options;
  if (since !== undefined && until !== undefined && until <= since)
    throw new UsageError(`--until must be later than --since. Example: ${exampleFor('--since')}`);
  return { actor, action, target, directory_id: directory, tenant, product, range_start: since, range_end: until };
}

async function listEntries({
  options,
  client,
  errorContext,
  input,
  print,
}: Context<FilterOptions & { limit?: number }, Filter>): Promise<void> {
  const page = await client.auditLog.list({ ...input, limit: options.limit });
  if (page.error) throw toCommandError(page.error, errorContext);
  if (options.json) return print.json({ data: page.data, list_metadata: page.list_metadata });
  if (page.data.length === 0) return print.note('No entries found.');
  print.table(
    [
      { title: 'Time', value: ({ occurred_at: at }) => shortTime(at) },
      { title: 'No.', value: ({ position }) => position, alignRight: true, wideOnly: true },
      { title: 'Action', value: ({ action }) => action },
      { title: 'Actor', value: describeActor, mayShrink: true },
      { title: 'Target', value: describeTargets, mayShrink: true },
      { title: 'From', value: ({ context }) => context.location, wideOnly: true },
      { title: 'Changes', value: describeChanges, mayShrink: true },
    ],
    page.data,
    { wide: options.wide },
  );
  if (page.list_metadata.has_more) print.note('There are more entries. Use --until, or `rollcall audit export`.');
}

const describeActor = ({ actor }: AuditEntry) => (actor.type === 'root_key' ? `${actor.id} (${actor.name}…)` : actor.name);
const describeTargets = ({ targets }: AuditEntry) => targets.map(({ id }) => id).join(' ');
const describeChanges = ({ changes }: AuditEntry) => Object.keys(changes ?? {}).join(', ');

const pollEveryMs = 1_000;

/** Reads on from its cursor, so that an outage of the service neither loses nor repeats an entry. */
async function tailEntries({ options, client, errorContext, input, print }: Context<FilterOptions, Filter>): Promise<ExitCode> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  let after = await read({ order: 'desc', limit: 1 }, true);
  if (!options.json) print.note('Waiting for entries (Ctrl-C to stop)');
  while (!stopping.signal.aborted) {
    after = (await read({ ...input, order: 'asc', after, limit: 100 }, false)) ?? after;
    await sleep(pollEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
  return exitCodes.success;

  async function read(query: NonNullable<Parameters<typeof client.auditLog.list>[0]>, isFirst: boolean): Promise<string | undefined> {
    const page = await client.auditLog.list(query, { signal: stopping.signal });
    if (stopping.signal.aborted) return undefined;
    if (page.error) {
      if (isFirst || !transientCodes.has(page.error.code)) throw toCommandError(page.error, errorContext);
      return undefined;
    }
    if (!isFirst) for (const entry of page.data) show(entry);
    return page.list_metadata.after ?? undefined;
  }

  function show(entry: AuditEntry): void {
    if (options.json) return print.jsonLine(entry);
    const { occurred_at: at, action } = entry;
    return print.line([shortTime(at), action.padEnd(30), describeActor(entry), describeTargets(entry), describeChanges(entry)].join('  '));
  }
}

/** The service streams the export, and this passes it on. */
async function exportEntries({
  options,
  shell,
  apiKey,
  errorContext,
  input,
}: Context<FilterOptions & { format?: string }, Filter>): Promise<void> {
  const given = Object.entries({ ...input, format: options.format }).filter((field): field is [string, string] => field[1] !== undefined);
  const response = await fetch(`${errorContext.baseUrl}/api/v1/audit-log/export?${new URLSearchParams(given).toString()}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  }).catch((error: Error) => {
    throw new CommandError(exitCodes.unavailable, `No response from ${errorContext.baseUrl} (${error.message}).`);
  });
  if (!response.ok || !response.body) {
    const { error } = (await response.json()) as { error: Parameters<typeof toCommandError>[0] };
    throw toCommandError(error, errorContext);
  }
  await pipeline(Readable.fromWeb(response.body), shell.stdout, { end: false });
}

interface VerifyOptions {
  expect?: ChainLink;
}

function parseLink(typed: string): ChainLink {
  const [, position, hash] = /^(\d{1,15}):([\da-f]{64})$/.exec(typed) ?? [];
  if (position === undefined || hash === undefined)
    throw new InvalidArgumentError('must be a position and a hash, as `rollcall audit verify` prints them, not {}.');
  return { position: Number(position), hash };
}

/** Computes all hashes again on this machine. Entries that are added meanwhile are checked too. */
async function verify({ args: [file], options, client, unwrap, errorContext, print }: Context<VerifyOptions>): Promise<ExitCode> {
  const expected = options.expect ? [options.expect] : [];
  const { problem, reached, count } = file === undefined ? await followService() : await follow(readFile(file), undefined, expected);
  if (options.json) print.json({ valid: problem === undefined, entries: count, reached, problem: problem ?? null });
  else if (problem)
    print.line(`Does not fit: position ${problem.position}${problem.id === undefined ? '' : ` (${problem.id})`}. ${problem.reason}`);
  else {
    print.line(
      `${count === 1 ? 'The only entry fits. It' : `All ${count.toLocaleString('en')} entries fit. The last one`} is ${reached.position}:${reached.hash}`,
    );
    print.note('Keep it elsewhere, and pass it as --expect next time: only this reveals that the whole chain was replaced.');
  }
  return problem ? exitCodes.unhealthy : exitCodes.success;

  async function followService(): Promise<Followed> {
    for (;;) {
      const { anchor, head } = await unwrap(client.auditLog.chain());
      const followed = await follow(readService(), anchor, [...expected, head]);
      if (!followed.problem) return followed;
      // Its retention may have ended for an entry since.
      if ((await unwrap(client.auditLog.chain())).anchor.position === anchor.position) return followed;
    }
  }

  async function* readService(): AsyncGenerator<AuditEntry> {
    for (let after: string | undefined, more = true; more;) {
      const page = await client.auditLog.list({ order: 'asc', limit: 1000, after });
      if (page.error) throw toCommandError(page.error, errorContext);
      yield* page.data;
      after = page.list_metadata.after ?? undefined;
      more = page.list_metadata.has_more;
    }
  }
}

async function* readFile(file: string): AsyncGenerator<AuditEntry> {
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      line += 1;
      if (text !== '') yield JSON.parse(text) as AuditEntry;
    }
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new CommandError(exitCodes.failed, `Line ${line} of ${file} is not JSON: verify an export in JSON Lines.`);
    throw new CommandError(exitCodes.failed, `Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}

interface Followed {
  problem: ChainProblem | undefined;
  reached: ChainLink;
  count: number;
}

/** Without an anchor, the first entry is the start: its own hash cannot be checked. */
async function follow(entries: AsyncIterable<AuditEntry>, anchor: ChainLink | undefined, expected: ChainLink[]): Promise<Followed> {
  let verifier = anchor && createChainVerifier(anchor);
  let start = anchor;
  let count = 0;
  for await (const entry of entries) {
    const link = toChained(entry);
    count += 1;
    const isWanted = expected.every(({ position, hash }) => position !== link.position || hash === link.hash);
    const problem = verifier?.next(link) ?? (isWanted ? undefined : { ...toPlace(link), reason: 'Another entry was expected here.' });
    start ??= link;
    verifier ??= createChainVerifier(link);
    if (problem) return { problem, reached: verifier.reached(), count };
  }
  const reached = verifier?.reached() ?? { position: 0, hash: '' };
  const problems = expected.map((link) => findMissing(link, start, reached));
  return { problem: problems.find((problem) => problem !== undefined), reached, count };
}

const toPlace = ({ position, entry: { id } }: ChainedEntry) => ({ position, id });

function findMissing({ position, hash }: ChainLink, start: ChainLink | undefined, reached: ChainLink): ChainProblem | undefined {
  if (position > reached.position)
    return { position: reached.position + 1, id: undefined, reason: `The entries ${reached.position + 1} to ${position} are missing.` };
  if (!start || position > start.position || (position === start.position && hash === start.hash)) return undefined;
  const reason = 'This entry is older than the log, whose oldest entries are deleted after their retention: pass a later one to --expect.';
  return { position, id: undefined, reason };
}

function toChained({ position, hash, ...entry }: AuditEntry): ChainedEntry {
  if (position === null || hash === null)
    throw new CommandError(exitCodes.failed, 'Entries have no hashes: use a key that sees the whole audit log.');
  return { position, hash, entry: entry };
}
