import type { Client } from '../support/client.ts';
import type { BenchDirectory } from '../support/directories.ts';
import { makeUser, nextTag } from '../support/users.ts';

const atOnce = 500;

/** So many users in each directory, a few hundred to a request. */
export async function fillByBulk(client: Client, directories: BenchDirectory[], users: number): Promise<void> {
  for (const { scimPath, secret } of directories) {
    for (let left = users; left > 0; left -= atOnce) {
      const Operations = Array.from({ length: Math.min(left, atOnce) }, (_, index) => ({
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
