import { createClient, type Directory } from '../../client/index.ts';
import { createUnwrap } from '../client-errors.ts';
import type { Connection } from '../connection.ts';
import { listPages } from '../list-pages.ts';
import { createFindings, type Finding } from './findings.ts';

export interface WebhookOptions {
  webhookUrl?: string;
  directory?: string;
  tenant?: string;
  product?: string;
  sendTest?: boolean;
}

export interface SelectedWebhook {
  url: string;
  /** For people: whose webhook it is. */
  label: string;
  /** Undefined for a URL that was typed. */
  directoryId?: string;
}

/** The webhooks that the options select; those of directories come from the service. */
export async function findWebhooks(options: WebhookOptions, connection: Connection | undefined): Promise<SelectedWebhook[]> {
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
          (page) =>
            unwrap(
              tenant === undefined
                ? client.directories.listOfProduct({ product: product!, ...page })
                : client.directories.list({ tenant, product: product!, ...page }),
            ),
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
export async function sendTest(directoryId: string, connection: Connection, signal: AbortSignal): Promise<Finding> {
  const { data, error } = await createClient(connection).webhooks.test(directoryId, { signal, timeoutMs: 20_000 });
  if (error)
    return problem(`Could not send a test event for ${directoryId}: ${error.message}`, 'See the checks of the service and the API key.');
  if (data.outcome === 'success') return ok(`The receiver at ${data.url} acknowledged a signed test event (${data.status_code}).`);
  return problem(
    `The receiver at ${data.url} did not acknowledge a signed test event: ${data.error ?? data.outcome}`,
    "Check the receiver's log, and whether it verifies signatures with the right secret.",
  );
}
