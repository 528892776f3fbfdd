import { invalidValue } from './errors.ts';
import { isObject, nameIn, type JsonObject } from './json.ts';
import { applyPatch } from './patch/apply-patch.ts';
import type { Member, PatchOperation } from './patch/operation.ts';
import { readMembers } from './patch/read-members.ts';
import { finish, readResource } from './read-resource.ts';
import { groupType } from './schema/resource-types.ts';
import { toExternalId } from './user.ts';

/** A group as a provider pushed it. Its members are not part of it. */
export interface ScimGroup {
  displayName: string;
  externalId: string | undefined;
  resource: JsonObject;
}

/** Reads the body of a POST or PUT. Members that are not mentioned are not meant. */
export function readGroup(body: unknown): { resource: JsonObject; members: Member[] | undefined } {
  const resource = readResource(body, groupType, { except: 'members' });
  const members = isObject(body) ? body[nameIn(body, 'members')] : undefined;
  return { resource, members: members === undefined || members === null ? undefined : readMembers(members) };
}

export const newGroup = (resource: JsonObject): ScimGroup => toGroup(resource);

/** JumpCloud leaves the external id out of a PUT, and wants it kept. */
export function replaceGroup(current: JsonObject, incoming: JsonObject): ScimGroup {
  const { externalId } = current;
  return toGroup({ ...(externalId !== undefined && { externalId }), ...incoming });
}

export const patchGroup = (current: JsonObject, operations: PatchOperation[]): ScimGroup =>
  toGroup(finish(applyPatch(current, operations, groupType), groupType));

function toGroup(resource: JsonObject): ScimGroup {
  const { displayName, externalId } = resource;
  if (typeof displayName !== 'string' || displayName.trim() === '')
    throw invalidValue('displayName is required: a string that is not empty.');
  return { displayName, externalId: toExternalId(externalId), resource };
}
