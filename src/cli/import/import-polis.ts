import { commandActor } from '../../audit/act.ts';
import { actAs } from '../../audit/audit-scope.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { readConfig, type Config } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import type { ImportDeps, ImportOptions, Watch } from '../../directory/import/import-options.ts';
import { importPolis } from '../../directory/import/import-polis.ts';
import type { ConflictPolicy } from '../../directory/import/ports.ts';
import type { ImportReport } from '../../directory/import/report.ts';
import { finishRestore } from '../../embedded/restore-folder.ts';
import { withPostgres } from '../../embedded/running-servers.ts';
import { AppError, StartupError } from '../../errors.ts';
import { createKeyring } from '../../keyring.ts';
import { googleRecords } from '../../providers/google/records.ts';
import { createHttpSource } from '../../providers/polis/http-source.ts';
import { openDatabase } from '../../store/database.ts';
import { announceKeys, checkEncryption } from '../../store/encryption/keys-in-use.ts';
import { createSecretColumns } from '../../store/encryption/secret-columns.ts';
import { openImportTarget } from '../../store/imports/import-target.ts';
import { openPolisDatabase, type PolisDatabase } from '../../store/imports/polis-database.ts';
import { readSchemaState } from '../../store/migrations/migrate.ts';
import { CommandError, type ExitCode, exitCodes, UsageError } from '../errors.ts';
import { createPrinter, type Printer } from '../output/printer.ts';
import { createProgress, throttleProgress, type Progress } from '../output/progress.ts';
import { loadEnvFile, type Shell } from '../shell.ts';
import { followPolis } from './follow-polis.ts';
import { printReport, writeReport } from './print-report.ts';

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
  return report.totals.failed + report.setup_links.unreadable.length > 0 ? exitCodes.failed : exitCodes.success;
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

interface Target {
  url: string;
  config: Config;
  encryptionKeys: Buffer[];
}

/** The database and the keys that the service uses with these settings. The embedded Postgres is started if the service does not run. */
async function withTarget<T>(env: NodeJS.ProcessEnv, work: (target: Target) => Promise<T>): Promise<T> {
  loadEnvFile();
  const config = readConfig(env, 'start');
  const { dataDir, database } = config;
  const encryptionKeys = config.encryptionKeys ?? (await readKeyFile(join(dataDir, 'encryption-key')));
  if (database.url !== undefined) return work({ url: database.url, config, encryptionKeys });
  await finishRestore(dataDir);
  return withPostgres(dataDir, (url) => work({ url, config, encryptionKeys }));
}

async function readKeyFile(file: string): Promise<Buffer[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      exitCodes.failed,
      `Cannot read ${file} (${error.code}). Start Rollcall once, or set ENCRYPTION_KEYS to the value that the service uses.`,
    );
  });
  return readEncryptionKeys(text, file);
}

interface ImportCall {
  options: Options;
  openSource: OpenSource;
  progress: Progress;
  print: Printer;
}

async function importInto({ url, config, encryptionKeys }: Target, call: ImportCall): Promise<ImportReport> {
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
    const target = openImportTarget({ url, pooler, secrets: createSecretColumns(keyring), hasOperatorWebhook, quotas: config.quotas });
    const deps = { target, quotas: config.quotas, google: googleRecords, showProgress: call.progress.show };
    const importOnce = (watch?: Watch) => importFromSource(deps, call, watch);
    try {
      return await (call.options.watch ? followPolis({ ...call, importOnce }) : importOnce());
    } finally {
      await target.close();
      await announced.stop();
    }
  } finally {
    await db.destroy();
  }
}

async function importFromSource(
  deps: Omit<ImportDeps, 'source'>,
  { options, openSource }: ImportCall,
  watch: Watch | undefined,
): Promise<ImportReport> {
  const source = await openSource();
  try {
    return await importPolis({ ...deps, source }, { ...toImportOptions(options), ...(watch && toFollowing(watch, options)) });
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

/** Until Polis has stopped, it delivers its queue itself. */
const toFollowing = (watch: Watch, { deliverQueued = false }: Options) => ({
  watch,
  deliversQueued: watch.round === 'last' && deliverQueued,
});
