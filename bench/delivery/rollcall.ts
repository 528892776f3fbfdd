import type { Cleanup } from '../support/cleanup.ts';
import type { Servers } from '../support/servers.ts';
import { rollcallCommand, startService, type Service } from '../support/service.ts';
import { prepareRollcall, type RollcallEnvironment } from '../support/sides.ts';
import type { Client } from '../support/client.ts';
import type { BenchDirectory } from '../support/directories.ts';
import { makeUser, nextTag } from '../support/users.ts';

export interface DeliveringRollcall extends Service {
  apiKey: string;
  environment: RollcallEnvironment;
}

/** Starts Rollcall as one process with its own database. */
export async function startDelivering(
  servers: Servers,
  cleanup: Cleanup,
  { name, ...more }: { name: string } & Record<string, string>,
): Promise<DeliveringRollcall> {
  const environment: RollcallEnvironment = {
    ...(await prepareRollcall(servers, `rollcall_${name}`)),
    TEMPORAL_NAMESPACE: await servers.createNamespace(name.replaceAll('_', '-')),
    ...more,
  };
  const service = await startService({ name: 'Rollcall', command: rollcallCommand('start'), environment }, cleanup);
  return { ...service, apiKey: environment['API_KEYS']!, environment };
}

const usersPerRequest = 500;

/** Creates users in each directory, up to 500 per request. */
export async function fillByBulk(client: Client, directories: BenchDirectory[], users: number): Promise<void> {
  for (const { scimPath, secret } of directories) {
    for (let left = users; left > 0; left -= usersPerRequest) {
      const Operations = Array.from({ length: Math.min(left, usersPerRequest) }, (_, index) => ({
        method: 'POST',
        path: '/Users',
        bulkId: String(index),
        data: makeUser(nextTag()),
      }));
      const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations };
      await client.fetch({ method: 'POST', path: `${scimPath}/Bulk`, secret, body, statuses: [200] });
    }
  }
}
