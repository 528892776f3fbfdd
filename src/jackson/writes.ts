import type { InProcessCalls } from '../app/in-process-calls.ts';
import { readChange } from '../directory/changes/read-change.ts';
import type { Change } from '../directory/changes/mutation.ts';
import { toDirectoryKey } from '../directory/directories/former-ids.ts';
import { toImportedGroup, toImportedUser } from '../directory/import/to-resources.ts';
import { isPublicId, toGivenIds, toResourceKey } from '../directory/resources/resource-ids.ts';
import { AppError } from '../errors.ts';
import { toScimError } from '../http/scim/to-scim-error.ts';
import { isId, newId } from '../ids.ts';
import { ScimError } from '../scim/errors.ts';
import { isObject, type JsonObject } from '../scim/json.ts';
import { createErrorResponse, type Response } from './response.ts';
import type { Group, User } from './types.ts';

type Written = Response<{ id: string }>;

export type Writes = ReturnType<typeof createWrites>;

/** The calls of Polis that write without an identity provider. Each is a change like a pushed one, so it emits events. */
export function createWrites({ submit }: Pick<InProcessCalls, 'submit'>) {
  return {
    createUser: (directoryId: string, { id = newId(), ...user }: Omit<User, 'id'> & { id?: string }) =>
      write(directoryId, id, () => ({ kind: 'createUser', ...toGivenIds(id), ...toUserDocument({ id, ...user }) })),
    updateUser: (directoryId: string, id: string, user: Omit<User, 'id'>) =>
      write(directoryId, id, (resourceId) => ({ kind: 'replaceUser', resourceId, ...toUserDocument({ ...user, id }) })),
    deleteUser: (directoryId: string, id: string) => write(directoryId, id, (resourceId) => ({ kind: 'deleteUser', resourceId })),

    createGroup: (directoryId: string, { id = newId(), ...group }: Omit<Group, 'id'> & { id?: string }) =>
      write(directoryId, id, () => ({ kind: 'createGroup', ...toGivenIds(id), ...toGroupDocument({ id, ...group }), members: [] })),
    updateGroup: (directoryId: string, id: string, group: Omit<Group, 'id'>) =>
      write(directoryId, id, (resourceId) => ({ kind: 'replaceGroup', resourceId, ...toGroupDocument({ ...group, id }) })),
    deleteGroup: (directoryId: string, id: string) => write(directoryId, id, (resourceId) => ({ kind: 'deleteGroup', resourceId })),

    addMember: (directoryId: string, groupId: string, userId: string) =>
      patchMembers(directoryId, groupId, { op: 'add', path: 'members', value: [{ value: userId }] }),
    removeMember: (directoryId: string, groupId: string, userId: string) =>
      patchMembers(directoryId, groupId, { op: 'remove', path: 'members', value: [{ value: userId }] }),
    removeMembers: (directoryId: string, groupId: string) => patchMembers(directoryId, groupId, { op: 'remove', path: 'members' }),
  };

  function patchMembers(directoryId: string, groupId: string, operation: JsonObject): Promise<Written> {
    const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] };
    return write(directoryId, groupId, (resourceId) => readChange({ method: 'PATCH', resourceType: 'Group', resourceId, body }));
  }

  async function write(directoryId: string, id: string, toChange: (resourceId: string) => Change): Promise<Written> {
    const key = isId(directoryId) ? directoryId.toLowerCase() : toDirectoryKey(directoryId);
    if (!isId(key)) return createErrorResponse('There is no such directory.', 404);
    try {
      const resourceId = isPublicId(id) ? toResourceKey(id) : newId();
      const { error } = await submit({ id: newId(), directoryId: key, ...toChange(resourceId) });
      return error ? toErrorResponse(toScimError(error)) : { data: { id }, error: null };
    } catch (error) {
      if (error instanceof ScimError) return toErrorResponse(error.details);
      if (error instanceof AppError) return toErrorResponse(toScimError(error));
      throw error;
    }
  }
}

const toErrorResponse = ({ detail, status }: { detail: string; status: number }) => createErrorResponse(detail, status);

/** As in an import, what SCIM cannot express stays in `raw`. */
const mapping = { provider: undefined, onIncomplete: () => undefined };
const unusedTimes = { createdAt: new Date(0), modifiedAt: undefined };

function toUserDocument({ id, email, first_name: firstName, last_name: lastName, active, roles, raw: given }: User) {
  const raw = toRaw(given, roles === undefined ? {} : { roles });
  const record = { ...unusedTimes, id, email, firstName: firstName ?? '', lastName: lastName ?? '', active: active ?? true, raw };
  const { resource, pushed } = toImportedUser(record, mapping).user;
  return { resource, ...(pushed && { pushed }) };
}

function toGroupDocument({ id, name, raw }: Group) {
  const { resource, pushed } = toImportedGroup({ ...unusedTimes, id, name: name ?? '', raw: toRaw(raw, {}) }, mapping).group;
  return { resource, ...(pushed && { pushed }) };
}

const toRaw = (raw: unknown, more: JsonObject): JsonObject => ({ ...more, ...(isObject(raw) && raw) });
