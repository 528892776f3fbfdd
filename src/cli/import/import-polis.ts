import { commandActor } from '../../audit/act.ts';
import { actAs } from '../../audit/audit-scope.ts';
import { writeFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { importPolis, type ImportDeps, type ImportOptions, type Watch } from '../../directory/import/import-polis.ts';
import type { ConflictPolicy } from '../../directory/import/ports.ts';
import type { DirectoryReport, ImportReport } from '../../directory/import/report.ts';
import { AppError, StartupError } from '../../errors.ts';
import { createKeyring } from '../../keyring.ts';
import { googleRecords } from '../../providers/google/imported-records.ts';
import { createHttpSource } from '../../providers/polis/http-source.ts';
import { openDatabase } from '../../store/database.ts';
import { announceKeys, checkEncryption } from '../../store/encryption/keys-in-use.ts';
import { createSecretColumns } from '../../store/encryption/secret-columns.ts';
import { openImportTarget } from '../../store/imports/import-target.ts';
import { openPolisDatabase, type PolisDatabase } from '../../store/imports/polis-database.ts';
import { readSchemaState } from '../../store/migrations/migrate.ts';
import { CommandError, type ExitCode, exitCodes, UsageError } from '../errors.ts';
import { pluralize } from '../output/format.ts';
import { createPrinter, type Printer } from '../output/printer.ts';
import { createProgress, throttleProgress, type Progress } from '../output/progress.ts';
import type { Shell } from '../shell.ts';
import { withTarget, type Target } from './find-target.ts';

interface Options {
  source: string;
  sourceEncryptionKey?: string;
  sourceApiKey?: string;
  tenant?: string;
  product?: string;
  dryRun?: boolean;
  report?: string;
  onConflict?: ConflictPolicy;
  announce?: boolean;
  deliverQueued?: boolean;
  watch?: boolean;
  json?: boolean;
}

export async function importFromPolis(options: Options, shell: Shell): Promise<ExitCode> {
  const openSource = await toSourceOpener(options, shell);
  const print = createPrinter(shell);
  const progress = throttleProgress(createProgress(shell));
  const report = await actAs({ actor: commandActor('import polis') }, () =>
    withTarget(shell.env, (found) => importInto(found, { options, openSource, progress, print })),
  ).catch((error: unknown) => {
    progress.end();
    throw error instanceof AppError || error instanceof StartupError ? new CommandError(exitCodes.failed, error.message) : error;
  });
  progress.end();
  if (options.report !== undefined) await writeReport(options.report, report);
  if (options.json) print.json(report);
  else printReport(print, report);
  return report.totals.failed > 0 ? exitCodes.failed : exitCodes.success;
}

type OpenSource = () => Promise<PolisDatabase>;

/** Other users of the machine can see options, so secrets may also come from the environment or from standard input. */
async function toSourceOpener(options: Options, { env, stdin }: Shell): Promise<OpenSource> {
  const readSecret = async (typed: string | undefined, variable: string) =>
    typed === '-' ? (await readAll(stdin)).trim() : (typed ?? env[variable]);
  const { source, product, deliverQueued, watch } = options;
  if (source.startsWith('postgres')) {
    const encryptionKey = await readSecret(options.sourceEncryptionKey, 'POLIS_ENCRYPTION_KEY');
    return () => openPolisDatabase(source, encryptionKey);
  }
  const apiKey = await readSecret(options.sourceApiKey, 'POLIS_API_KEY');
  const missing = !apiKey ? '--source-api-key' : product === undefined ? '--product' : undefined;
  if (missing !== undefined)
    throw new UsageError(
      `${missing} is required if --source is the URL of Polis. Example: rollcall import polis --source https://polis.example --source-api-key secret --product crm`,
    );
  const impossible = deliverQueued ? '--deliver-queued' : watch ? '--watch' : undefined;
  if (impossible !== undefined)
    throw new UsageError(
      `${impossible} requires the Postgres of Polis as --source. Example: rollcall import polis --source postgres://polis:password@db.example/polis ${impossible}`,
    );
  return () =>
    Promise.resolve({ ...createHttpSource({ url: source, apiKey: apiKey!, product: product! }), close: () => Promise.resolve() });
}

interface Parts {
  options: Options;
  openSource: OpenSource;
  progress: Progress;
  print: Printer;
}

async function importInto({ url, config, encryptionKeys }: Target, parts: Parts): Promise<ImportReport> {
  const keyring = createKeyring(encryptionKeys);
  const { pooler } = config.database;
  const db = openDatabase(url, { pooler, poolSize: 1 });
  try {
    if ((await readSchemaState(db)) !== 'known')
      throw new CommandError(exitCodes.failed, 'The database schema belongs to another version. Run `rollcall migrate` first.');
    // Before the first value is encrypted.
    await checkEncryption(db, keyring);
    const announced = await announceKeys(db, keyring);
    const hasOperatorWebhook = config.webhooks.operator !== undefined;
    const target = openImportTarget({ url, pooler, secrets: createSecretColumns(keyring), hasOperatorWebhook });
    const deps = { target, quotas: config.quotas, google: googleRecords, show: parts.progress.show };
    try {
      return await (parts.options.watch ? follow(deps, parts) : importOnce(deps, parts));
    } finally {
      await target.close();
      await announced.stop();
    }
  } finally {
    await db.destroy();
  }
}

type TargetDeps = Omit<ImportDeps, 'source'>;

async function importOnce(deps: TargetDeps, { options, openSource }: Parts, watch?: Watch): Promise<ImportReport> {
  const source = await openSource();
  try {
    return await importPolis({ ...deps, source }, { ...toImportOptions(options), ...(watch && { watch }) });
  } finally {
    await source.close();
  }
}

const toImportOptions = ({ tenant, product, dryRun, onConflict = 'fail', announce, deliverQueued }: Options): ImportOptions => ({
  tenant,
  product,
  isDryRun: dryRun ?? false,
  onConflict,
  announces: announce ?? false,
  deliversQueued: deliverQueued ?? false,
});

const pauseMs = 2_000;

/** Repeats the import of what has changed until a signal, and compares everything once more at the end. */
async function follow(deps: TargetDeps, parts: Parts): Promise<ImportReport> {
  const seen = new Set<string>();
  const first = await importOnce(deps, parts, { round: 'first', seen });
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    parts.progress.end();
    parts.print.note(
      `Imported ${describeTotals(first.totals)}. Following Polis; press Ctrl-C after it has stopped, for the last comparison.`,
    );
    const note = createNotes(parts.print);
    for (;;) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) break;
      const report = await importOnce(deps, parts, { round: 'next', seen }).catch((error: unknown) => note(outage, describeOutage(error)));
      for (const directory of report?.directories ?? []) note(directory.id || directory.reason!, describeChange(directory));
      if (report) note(outage, undefined);
    }
    return await importOnce(deps, parts, { round: 'last', seen });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

const outage = 'outage';

/** Prints what there is to say about a topic, and nothing while that stays the same. */
function createNotes(print: Printer) {
  const last = new Map<string, string>();
  return (topic: string, sentence: string | undefined): undefined => {
    if (sentence !== undefined && sentence !== last.get(topic)) print.note(sentence);
    if (sentence === undefined) last.delete(topic);
    else last.set(topic, sentence);
  };
}

/** Polis and Rollcall may be restarted meanwhile. */
function describeOutage(error: unknown): string {
  if (!(error instanceof AppError || error instanceof StartupError)) throw error;
  return error.message;
}

function describeChange({ tenant, product, status, reason, changed }: DirectoryReport): string | undefined {
  const { users, groups, memberships } = changed;
  const name = `${tenant}/${product}`;
  if (status === 'imported')
    return `${name}: ${pluralize(users, 'user')}, ${pluralize(groups, 'group')} and ${pluralize(memberships, 'membership')} changed.`;
  if (status === 'deleted') return `${name}: deleted, as in Polis.`;
  return reason === undefined ? undefined : `${name}: ${reason}`;
}

const describeTotals = ({ directories, users, groups, memberships }: ImportReport['totals']) =>
  `${pluralize(directories, 'directory', 'directories')}, ${pluralize(users.imported, 'user')}, ${pluralize(groups.imported, 'group')} and ${pluralize(memberships.imported, 'membership')}`;

async function writeReport(file: string, report: ImportReport): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      exitCodes.failed,
      `The report can't be written to ${file} (${error.code}): choose a file in a folder that exists and is writable.`,
    );
  });
}

function printReport(print: Printer, { directories, totals, dry_run: isDryRun }: ImportReport): void {
  print.table(
    [
      { title: 'Directory', value: ({ id }) => id },
      { title: 'Tenant', value: ({ tenant }) => tenant, mayShrink: true },
      { title: 'Product', value: ({ product }) => product, mayShrink: true },
      { title: 'Status', value: ({ status }) => status },
      { title: 'Users', value: ({ users }) => share(users), alignRight: true },
      { title: 'Groups', value: ({ groups }) => share(groups), alignRight: true },
      { title: 'Members', value: ({ memberships }) => share(memberships), alignRight: true },
      { title: 'Checksums', value: describeChecksums },
    ],
    directories,
    { wide: true },
  );
  for (const { tenant, product, reason, warnings, conflicts, orphans, unreadable } of directories) {
    const note = (text: string) => print.note(`${tenant}/${product}: ${text}`);
    if (reason !== undefined) note(reason);
    for (const { kind, ids, kept } of conflicts.slice(0, maxPrinted))
      note(`conflict (${kind}) of ${ids.join(', ')}${kept === undefined ? '' : `; kept ${kept}`}`);
    for (const { key, problem } of unreadable.slice(0, maxPrinted)) note(`${key}: ${problem}`);
    if (orphans > 0) note(`Dropped ${pluralize(orphans, 'membership')} of nobody.`);
    for (const warning of warnings) note(warning);
  }
  print.note(
    `${isDryRun ? 'Would import' : 'Imported'} ${describeTotals(totals)}; ${pluralize(totals.failed, 'directory', 'directories')} failed.`,
  );
}

const share = ({ read, imported }: { read: number; imported: number }) =>
  read === imported ? imported.toLocaleString('en') : `${imported.toLocaleString('en')} of ${read.toLocaleString('en')}`;

const maxPrinted = 20;

function describeChecksums({ checksums }: DirectoryReport): string {
  if (!checksums) return '';
  const { source, target } = checksums;
  return source.users === target.users && source.memberships === target.memberships ? 'same' : 'DIFFERENT';
}
