import type { Config } from '../../config.ts';
import { findConnection, findUrl, type Connection, type ConnectionOptions } from '../connection.ts';
import { type ExitCode, UsageError, createUnwrap, exitCodes } from '../errors.ts';
import { createPrinter } from '../output/printer.ts';
import { loadEnvFile, type Shell } from '../shell.ts';
import { checkConfiguration } from './check-configuration.ts';
import { checkDataFolder } from './check-data-folder.ts';
import { checkDatabase, checkReplica } from './check-database.ts';
import { checkApiKey, checkService } from './check-service.ts';
import { checkTemporal } from './check-temporal.ts';
import { checkDirectories } from './check-directories.ts';
import { checkDelivery, checkWebhook } from './check-webhook.ts';
import { createFindings, printFindings, withTimeLimit, type Finding } from './findings.ts';
import { type Directory, createClient } from '../../client/index.ts';
import { listPages } from '../list-pages.ts';
import { loopbackNetworks } from '../../config/webhooks.ts';

type DoctorOptions = WebhookOptions & ConnectionOptions & { json?: boolean };

const limitMs = 10_000;
const sendTestLimitMs = 25_000;
const maxConcurrentWebhooks = 20;

/** Runs all checks concurrently, each within a time limit. */
export async function runChecks(options: DoctorOptions, shell: Shell): Promise<ExitCode> {
  validateOptions(options);
  loadEnvFile();
  const { findings: configurationFindings, config } = checkConfiguration(shell.env);
  const url = await findUrl(options, shell.env).catch((error: Error) => error);
  const connection = await findConnection(options, shell.env).catch((error: Error) => error);
  const isConnected = !(connection instanceof Error);
  const usesFolder = config !== undefined && hasEmbeddedServers(config);
  const folder = usesFolder ? checkDataFolder(config) : undefined;
  const checks: Promise<Finding[]>[] = [
    Promise.resolve([checkNode(), ...configurationFindings]),
    folder ? withTimeLimit('Data folder', async () => (await folder).findings, limitMs) : Promise.resolve([]),
    withTimeLimit('Database', async () => (config ? checkOurDatabase(config) : []), limitMs),
    withTimeLimit('Temporal', async () => (config ? checkOurTemporal(config) : []), limitMs),
    url instanceof Error
      ? Promise.resolve([createFindings('Service').problem(withoutExample(url), 'Correct it.')])
      : withTimeLimit('Service', (signal) => checkService(url, signal), limitMs),
    isConnected
      ? withTimeLimit('API key', (signal) => checkApiKey(connection, signal), limitMs)
      : Promise.resolve([createFindings('API key').problem(withoutExample(connection), 'Set ROLLCALL_API_KEY, or pass --api-key-file.')]),
    isConnected ? withTimeLimit('Directories', (signal) => checkDirectories(connection, signal), limitMs) : Promise.resolve([]),
    withTimeLimit('Webhook', checkWebhooks, options.sendTest ? sendTestLimitMs : limitMs),
  ];
  const findings = (await Promise.all(checks)).flat();
  const ok = findings.every(({ verdict }) => verdict !== 'problem');
  const print = createPrinter(shell);
  if (options.json) print.json({ ok, findings });
  else printFindings(print, findings);
  return ok ? exitCodes.success : exitCodes.unhealthy;

  async function checkOurDatabase({ database, encryptionKeys }: Config): Promise<Finding[]> {
    const found = await folder;
    const databaseUrl = database.url ?? found?.databaseUrl;
    if (databaseUrl === undefined) return [];
    const ofDatabase = await checkDatabase({
      url: databaseUrl,
      pooler: database.pooler,
      encryptionKeys: encryptionKeys ?? found?.encryptionKeys,
      setting: database.url === undefined ? 'the data folder' : 'DATABASE_URL',
    });
    if (database.replica === undefined) return ofDatabase;
    return [...ofDatabase, ...(await checkReplica({ ...database.replica, primaryUrl: databaseUrl, pooler: database.pooler }))];
  }

  async function checkWebhooks(signal: AbortSignal): Promise<Finding[]> {
    const { problem, skipped } = createFindings('Webhook');
    let webhooks: SelectedWebhook[];
    try {
      webhooks = await findWebhooks(options, isConnected ? connection : undefined);
    } catch (error) {
      return [problem(`Could not look up the webhooks: ${(error as Error).message}`, 'See the checks of the service and the API key.')];
    }
    if (webhooks.length === 0)
      return [
        skipped(
          options.product === undefined
            ? 'No webhook selected. Use --webhook-url, --directory, or --tenant and --product to check webhooks.'
            : 'No directories found.',
        ),
      ];
    const allowedNetworks = config?.webhooks.allowedNetworks ?? (usesFolder ? loopbackNetworks : []);
    const found: Finding[] = [];
    for (let from = 0; from < webhooks.length && !signal.aborted; from += maxConcurrentWebhooks)
      found.push(...(await Promise.all(webhooks.slice(from, from + maxConcurrentWebhooks).map(checkOne))).flat());
    return found;

    async function checkOne({ url: webhookUrl, label, directoryId }: SelectedWebhook): Promise<Finding[]> {
      if (webhookUrl === '') return [skipped(`${label} is not set.`)];
      const isTested = options.sendTest === true && directoryId !== undefined;
      const reachability = [
        ...(await checkWebhook({ url: webhookUrl, label, allowedNetworks, isTested, signal })),
        ...(directoryId === undefined ? [] : await checkDelivery(directoryId, connection as Connection, signal)),
      ];
      if (!options.sendTest) return reachability;
      if (directoryId === undefined)
        return [...reachability, skipped('A test event is signed with the secret of a directory; select one with --directory.')];
      return [...reachability, await sendTest(directoryId, connection as Connection, signal)];
    }
  }
}

const [minMajor, minMinor] = [20, 19];

export function checkNode(version: string = process.versions.node): Finding {
  const { ok, problem } = createFindings('Node');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return ok(`Node ${version}.`);
  return problem(`Node ${version} is too old.`, `Install Node ${minMajor}.${minMinor} or newer.`);
}

async function checkOurTemporal({ temporal }: Config): Promise<Finding[]> {
  const { address } = temporal;
  if (address !== undefined) return checkTemporal({ ...temporal, address });
  return [
    createFindings('Temporal').skipped('TEMPORAL_ADDRESS is not set: `npm start` runs an embedded Temporal, which the service checks.'),
  ];
}

const hasEmbeddedServers = ({ database, temporal, encryptionKeys }: Config) =>
  database.url === undefined || temporal.address === undefined || encryptionKeys === undefined;

const withoutExample = ({ message }: Error) => message.split(' Example:')[0]!;

function validateOptions({ tenant, product, directory, webhookUrl, sendTest: sendsTest }: DoctorOptions): void {
  if (tenant !== undefined && product === undefined)
    throw new UsageError('--tenant requires --product. Example: rollcall doctor --tenant acme --product crm');
  if (sendsTest && directory === undefined && product === undefined)
    throw new UsageError(
      `--send-test requires --directory or --product${webhookUrl === undefined ? '' : ', because a test event is signed with the secret of a directory'}. Example: rollcall doctor --tenant acme --product crm --send-test`,
    );
}

interface WebhookOptions {
  webhookUrl?: string;
  directory?: string;
  tenant?: string;
  product?: string;
  sendTest?: boolean;
}

interface SelectedWebhook {
  url: string;
  /** For people: whose webhook it is. */
  label: string;
  /** Undefined for a URL that was typed. */
  directoryId?: string;
}

/** The webhooks that the options select; those of directories come from the service. */
async function findWebhooks(options: WebhookOptions, connection: Connection | undefined): Promise<SelectedWebhook[]> {
  const { webhookUrl, directory, tenant, product } = options;
  const typed = webhookUrl === undefined ? [] : [{ url: webhookUrl, label: '--webhook-url' }];
  if (directory === undefined && product === undefined) return typed;
  if (!connection) throw new Error('the service is needed to look them up.');
  const client = createClient(connection);
  const flags = ['--directory', '--tenant', '--product'];
  const unwrap = createUnwrap({ flags, exampleFor: () => 'rollcall doctor', ...connection });
  const directories: Directory[] =
    directory === undefined
      ? await listPages(
          unwrap,
          (page) =>
            tenant === undefined
              ? client.directories.listOfProduct({ product: product!, ...page })
              : client.directories.list({ tenant, product: product!, ...page }),
          { all: true },
        )
      : [await unwrap(client.directories.get(directory))];
  return [
    ...typed,
    ...directories.map(({ id, name, webhook }) => ({ url: webhook.endpoint, label: `The webhook of ${name} (${id})`, directoryId: id })),
  ];
}

const { ok, problem } = createFindings('Webhook');

/** Lets the service send a signed test event: its network path is the one that counts. */
async function sendTest(directoryId: string, connection: Connection, signal: AbortSignal): Promise<Finding> {
  const { data, error } = await createClient(connection).webhooks.test(directoryId, { signal, timeoutMs: 20_000 });
  if (error)
    return problem(`Could not send a test event for ${directoryId}: ${error.message}`, 'See the checks of the service and the API key.');
  if (data.outcome === 'success') return ok(`The receiver at ${data.url} acknowledged a signed test event (${data.status_code}).`);
  return problem(
    `The receiver at ${data.url} did not acknowledge a signed test event: ${data.error ?? data.outcome}`,
    "Check the receiver's log, and whether it verifies signatures with the right secret.",
  );
}
