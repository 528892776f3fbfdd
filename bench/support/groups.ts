import type { Client, ScimRequest } from './client.ts';
import type { BenchDirectory } from './directories.ts';

export interface CreatedGroup {
  id: string;
  directory: BenchDirectory;
}

export async function createGroup(client: Client, directory: BenchDirectory, displayName: string): Promise<CreatedGroup> {
  const { id } = await client.fetch<{ id: string }>({
    method: 'POST',
    path: `${directory.scimPath}/Groups`,
    secret: directory.secret,
    body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName },
    statuses: [201],
  });
  return { id, directory };
}

/** The PATCH that Entra and Okta send. */
export const addMember = (group: CreatedGroup, userId: string) =>
  patchGroup(group, { op: 'add', path: 'members', value: [{ value: userId }] });
export const removeMember = (group: CreatedGroup, userId: string) =>
  patchGroup(group, { op: 'remove', path: `members[value eq "${userId}"]` });

const patchGroup = ({ id, directory: { scimPath, secret } }: CreatedGroup, operation: object): ScimRequest => ({
  method: 'PATCH',
  path: `${scimPath}/Groups/${id}`,
  secret,
  body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] },
  statuses: [200, 204],
});
