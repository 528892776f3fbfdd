import { createClient, type Directory } from '../../client/index.ts';
import { explainRefusal } from '../ask.ts';
import type { Connection } from '../connection.ts';
import { listPages } from '../list-pages.ts';

export interface WebhookOptions {
  webhookUrl?: string;
  directory?: string;
  tenant?: string;
  product?: string;
  sendTest?: boolean;
}

export interface WebhookToLookAt {
  url: string;
  named: string;
  /** None for an address that was typed. */
  directoryId?: string;
}

/** The webhooks that the options name, by asking the service for those of directories. */
export async function findWebhooks(options: WebhookOptions, connection: Connection | undefined): Promise<WebhookToLookAt[]> {
  const { webhookUrl, directory, tenant, product } = options;
  const typed = webhookUrl === undefined ? [] : [{ url: webhookUrl, named: '--webhook-url' }];
  if (directory === undefined && product === undefined) return typed;
  if (!connection) throw new Error('without the service, the webhooks of directories are not known.');
  const client = createClient(connection);
  const ask = async <Data>(asked: Promise<{ data: Data; error: null } | { data: null; error: { code: string; message: string } }>) => {
    const answer = await asked;
    if (answer.error)
      throw explainRefusal(answer.error, {
        flags: ['--directory', '--tenant', '--product'],
        keyFrom: connection.keyFrom,
        exampleFor: () => 'rollcall doctor',
      });
    return answer.data;
  };
  const found: Directory[] =
    directory === undefined
      ? await listPages(
          (page) =>
            ask(
              tenant === undefined
                ? client.directories.listOfProduct({ product: product!, ...page })
                : client.directories.list({ tenant, product: product!, ...page }),
            ),
          { all: true },
        )
      : [await ask(client.directories.get(directory))];
  const ofDirectories = found.map(({ id, name, webhook }) => ({
    url: webhook.endpoint,
    named: `The webhook of ${name} (${id})`,
    directoryId: id,
  }));
  return [...typed, ...ofDirectories];
}
