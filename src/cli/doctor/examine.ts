import { UsageError } from '../failures.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { findAddress, findConnection, type Connection } from '../connection.ts';
import { createPrinter } from '../print.ts';
import { readSettings } from '../read-settings.ts';
import { loopback } from '../serve/loopback.ts';
import type { Shell } from '../shell.ts';
import { checkConfiguration } from './check-configuration.ts';
import { checkDataFolder } from './check-data-folder.ts';
import { checkDatabase } from './check-database.ts';
import { checkNode } from './check-node.ts';
import { checkApiKey, checkService } from './check-service.ts';
import { checkTemporal } from './check-temporal.ts';
import { checkWebhook } from './check-webhook.ts';
import { findWebhooks, type WebhookOptions, type WebhookToLookAt } from './find-webhooks.ts';
import { createFindings, type Finding } from './finding.ts';
import { inTime } from './in-time.ts';
import { printFindings } from './print-findings.ts';
import { sendTest } from './send-test.ts';

interface DoctorOptions extends WebhookOptions {
  json?: boolean;
  url?: string;
  apiKey?: string;
  apiKeyFile?: string;
}

const limitMs = 10_000;
const testLimitMs = 25_000;
const webhooksAtOnce = 20;

/** Looks at everything side by side; what hangs is bounded. */
export async function examine(options: DoctorOptions, shell: Shell): Promise<ExitCode> {
  requireWhole(options);
  readSettings();
  const { findings: ofConfiguration, config } = checkConfiguration(shell.env);
  const address = await findAddress(options, shell.env).catch((error: Error) => error);
  const connection = await findConnection(options, shell.env).catch((error: Error) => error);
  const isConnected = !(connection instanceof Error);
  const folder = config && needsFolder(config) ? checkDataFolder(config) : undefined;
  const looks: Promise<Finding[]>[] = [
    Promise.resolve(checkNode()),
    Promise.resolve(ofConfiguration),
    folder ? inTime('Data folder', async () => (await folder).findings, limitMs) : Promise.resolve([]),
    inTime('Database', async () => (config ? lookAtDatabase() : []), limitMs),
    inTime('Temporal', async () => (config ? lookAtTemporal() : []), limitMs),
    address instanceof Error
      ? Promise.resolve([createFindings('Service').problem(address.message.split(' Example:')[0]!, 'Correct it.')])
      : inTime('Service', (signal) => checkService(address, signal), limitMs),
    isConnected
      ? inTime('API key', (signal) => checkApiKey(connection, signal), limitMs)
      : Promise.resolve([
          createFindings('API key').problem(connection.message.split(' Example:')[0]!, 'Set ROLLCALL_API_KEY, or give --api-key-file.'),
        ]),
    inTime('Webhook', lookAtWebhooks, options.sendTest ? testLimitMs : limitMs),
  ];
  const findings = (await Promise.all(looks)).flat();
  const isWell = findings.every(({ verdict }) => verdict !== 'problem');
  const print = createPrinter(shell);
  if (options.json) print.json({ ok: isWell, findings });
  else printFindings(print, findings);
  return isWell ? exitCodes.done : exitCodes.unhealthy;

  async function lookAtDatabase(): Promise<Finding[]> {
    const facts = await folder;
    const encryptionKeys = config!.encryptionKeys ?? facts?.encryptionKeys;
    const url = config!.database.url ?? facts?.databaseUrl;
    if (url === undefined) return [];
    return checkDatabase({ url, encryptionKeys, named: config!.database.url === undefined ? 'the data folder' : 'DATABASE_URL' });
  }

  async function lookAtTemporal(): Promise<Finding[]> {
    const { address: temporalAddress } = config!.temporal;
    if (temporalAddress !== undefined) return checkTemporal({ ...config!.temporal, address: temporalAddress });
    return [
      createFindings('Temporal').skipped(
        'TEMPORAL_ADDRESS is not set: `npm start` runs its own, and the service says whether that is well.',
      ),
    ];
  }

  async function lookAtWebhooks(signal: AbortSignal): Promise<Finding[]> {
    const { problem, skipped } = createFindings('Webhook');
    let webhooks: WebhookToLookAt[];
    try {
      webhooks = await findWebhooks(options, isConnected ? connection : undefined);
    } catch (error) {
      return [problem(`The webhooks are not known: ${(error as Error).message}`, 'Look at the checks of the service and the API key.')];
    }
    if (webhooks.length === 0)
      return [
        skipped(
          options.product === undefined
            ? 'None was named: --webhook-url, --directory, or --tenant and --product look at webhooks.'
            : 'There are no directories there.',
        ),
      ];
    const allowedNetworks = config?.webhooks.allowedNetworks ?? (config && needsFolder(config) ? loopback : []);
    const seen: Finding[] = [];
    for (let from = 0; from < webhooks.length && !signal.aborted; from += webhooksAtOnce)
      seen.push(...(await Promise.all(webhooks.slice(from, from + webhooksAtOnce).map(lookAtOne))).flat());
    return seen;

    async function lookAtOne({ url, named, directoryId }: (typeof webhooks)[number]): Promise<Finding[]> {
      if (url === '') return [skipped(`${named} is not set.`)];
      const found = await checkWebhook({
        url,
        named,
        allowedNetworks,
        isTested: options.sendTest === true && directoryId !== undefined,
        signal,
      });
      if (!options.sendTest) return found;
      if (directoryId === undefined)
        return [...found, skipped('A test event is signed with the secret of a directory: --directory says which.')];
      return [...found, await sendTest(directoryId, connection as Connection, signal)];
    }
  }
}

const needsFolder = ({ database, temporal, encryptionKeys }: NonNullable<ReturnType<typeof checkConfiguration>['config']>) =>
  database.url === undefined || temporal.address === undefined || encryptionKeys === undefined;

function requireWhole({ tenant, product, directory, webhookUrl, sendTest: wantsTest }: DoctorOptions): void {
  if (tenant !== undefined && product === undefined)
    throw new UsageError('--tenant wants --product beside it. Example: rollcall doctor --tenant acme --product crm');
  if (wantsTest && directory === undefined && product === undefined)
    throw new UsageError(
      `--send-test wants to know whose webhook is meant${webhookUrl === undefined ? '' : ', since a test event is signed with the secret of a directory'}: give --directory, or --product. Example: rollcall doctor --tenant acme --product crm --send-test`,
    );
}
