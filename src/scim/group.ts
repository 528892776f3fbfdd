import type { Budget } from './budget.ts';
import { type JsonObject, getOwn } from './json.ts';
import { applyPatch } from './patch/apply-patch.ts';
import { readExternalId, readBody, toResource } from './resource/read-resource.ts';
import { missingValue } from './resource/read-value.ts';
import { groupType } from './schema/resource-types.ts';
import type { Member, PatchOperation } from './patch/operation.ts';
import { isOfMembers, readMembers } from './patch/read-patch.ts';

/** A pushed group. Its members are rows in the database, not part of the resource. */
export interface ScimGroup {
  displayName: string;
  externalId: string | undefined;
  resource: JsonObject;
}

/** Reads the body of a POST or PUT. Without `members`, a POST creates none and a PUT keeps the current ones. */
export function readGroup(body: unknown, budget?: Budget): { resource: JsonObject; members: Member[] | undefined } {
  const entries = readBody(body, groupType, budget);
  const ofMembers = entries.find(({ target, value }) => isOfMembers(target, groupType) && value !== null);
  return {
    resource: toResource(
      entries.filter(({ target }) => !isOfMembers(target, groupType)),
      groupType,
      budget,
    ),
    members: ofMembers && readMembers(ofMembers.value),
  };
}

export const newGroup = (resource: JsonObject): ScimGroup => toGroup(resource);

/** A PUT removes what it does not contain, except `externalId`. */
export function replaceGroup({ externalId }: JsonObject, incoming: JsonObject): ScimGroup {
  return toGroup({ ...(externalId !== undefined && { externalId }), ...incoming });
}

export const patchGroup = (current: JsonObject, operations: PatchOperation[], budget?: Budget): ScimGroup =>
  toGroup(applyPatch(current, operations, groupType, budget));

function toGroup(resource: JsonObject): ScimGroup {
  const displayName = getOwn(resource, 'displayName');
  if (typeof displayName !== 'string' || displayName.trim() === '') throw missingValue('displayName');
  return { displayName, externalId: readExternalId(resource), resource };
}
