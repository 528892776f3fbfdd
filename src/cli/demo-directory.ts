import type { Client, Directory } from '../client/index.ts';
import type { Unwrap } from './errors.ts';

const owner = { tenant: 'demo', product: 'demo' };

interface Api {
  client: Client;
  unwrap: Unwrap;
}

/** The directory that `listen` and `simulate` use by default. Its events can be read and replayed. */
export async function findDemoDirectory({ client, unwrap }: Api): Promise<Directory | undefined> {
  const [directory] = await unwrap(client.directories.list(owner));
  return directory;
}

export const createDemoDirectory = ({ client, unwrap }: Api): Promise<Directory> =>
  unwrap(client.directories.create({ ...owner, name: 'Demo', type: 'generic-scim-v2', log_webhook_events: true }));
