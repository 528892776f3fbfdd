import type { Client, Directory } from '../client/index.ts';
import type { Unwrap } from './errors.ts';

const owner = { tenant: 'demo', product: 'demo' };

/** The directory that `listen` and `simulate` use by default, created if necessary. Its events can be read and replayed. */
export async function getDemoDirectory({ client, unwrap }: { client: Client; unwrap: Unwrap }): Promise<Directory> {
  const [directory] = await unwrap(client.directories.list(owner));
  return directory ?? unwrap(client.directories.create({ ...owner, name: 'Demo', type: 'generic-scim-v2', log_webhook_events: true }));
}
