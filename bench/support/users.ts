import type { Client, ScimRequest } from './client.ts';
import type { BenchDirectory } from './directories.ts';

export interface CreatedUser {
  id: string;
  directory: BenchDirectory;
}

const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'];
const concurrency = 16;
let lastNumber = 0;

/** Returns a new tag each time. */
export const nextTag = () => String((lastNumber += 1));

/** A typical pushed user of about 600 bytes. */
export function makeUser(tag: string) {
  const userName = `ada.${tag}@example.com`;
  return {
    schemas,
    userName,
    externalId: `00u${tag}`,
    name: { givenName: 'Ada', familyName: `Lovelace ${tag}`, formatted: `Ada Lovelace ${tag}` },
    displayName: `Ada Lovelace ${tag}`,
    emails: [{ value: userName, type: 'work', primary: true }],
    phoneNumbers: [{ value: '+44 20 7946 0000', type: 'work' }],
    title: 'Analyst',
    locale: 'en-GB',
    active: true,
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { employeeNumber: tag, department: 'Engines' },
  };
}

/** A user with as many entitlements as needed for the size. */
export function makeLargeUser(tag: string, bytes: number) {
  const user = makeUser(tag);
  const entitlements: object[] = [];
  for (let left = bytes - JSON.stringify(user).length; left > 0;) {
    const entitlement = {
      value: `entitlement-${entitlements.length}`,
      display: `May work on engine ${entitlements.length}`,
      type: 'license',
    };
    entitlements.push(entitlement);
    left -= JSON.stringify(entitlement).length + 1;
  }
  return { ...user, entitlements };
}

export const createUser = ({ scimPath, secret }: BenchDirectory, user: object): ScimRequest => ({
  method: 'POST',
  path: `${scimPath}/Users`,
  secret,
  body: user,
  statuses: [201],
});

export const patchUser = ({ id, directory: { scimPath, secret } }: CreatedUser, operation: object): ScimRequest => ({
  method: 'PATCH',
  path: `${scimPath}/Users/${id}`,
  secret,
  body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] },
  statuses: [200],
});

export const listUsers = ({ scimPath, secret }: BenchDirectory, query: Record<string, string>): ScimRequest => ({
  method: 'GET',
  path: `${scimPath}/Users?${new URLSearchParams(query).toString()}`,
  secret,
  statuses: [200],
});

/** Creates one user per directory, in order. Directories may be repeated. */
export async function createUsers(client: Client, directories: BenchDirectory[]): Promise<CreatedUser[]> {
  const created: CreatedUser[] = [];
  for (let start = 0; start < directories.length; start += concurrency) {
    const batch = directories.slice(start, start + concurrency).map(async (directory) => {
      const { id } = await client.fetch<{ id: string }>(createUser(directory, makeUser(nextTag())));
      return { id, directory };
    });
    created.push(...(await Promise.all(batch)));
  }
  return created;
}
