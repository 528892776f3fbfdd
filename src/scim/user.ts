import type { Budget } from './budget.ts';
import { type JsonObject, getOwn } from './json.ts';
import { applyPatch } from './patch/apply-patch.ts';
import { readExternalId, readBody, toResource } from './resource/read-resource.ts';
import { missingValue } from './resource/read-value.ts';
import { userType } from './schema/resource-types.ts';
import type { PatchOperation } from './patch/operation.ts';

/** A pushed user, and the attributes that this service uses; the resource contains them too. */
export interface ScimUser {
  userName: string;
  externalId: string | undefined;
  /** True unless the user is explicitly inactive. */
  active: boolean;
  /** Everything that was sent, except what the service assigns (`id`, `meta`, `groups`) and the password. */
  resource: JsonObject;
}

/** Reads the body of a POST or PUT. `newUser` and `replaceUser` check that it is complete. */
export const readUser = (body: unknown, budget?: Budget): JsonObject => toResource(readBody(body, userType, budget), userType, budget);

export const newUser = (resource: JsonObject): ScimUser => toUser({ active: true, ...resource });

/** A PUT removes what it does not contain, except `active` and `externalId` (JumpCloud omits them). */
export function replaceUser({ active, externalId }: JsonObject, incoming: JsonObject): ScimUser {
  return toUser({ ...(active !== undefined && { active }), ...(externalId !== undefined && { externalId }), ...incoming });
}

export const patchUser = (current: JsonObject, operations: PatchOperation[], budget?: Budget): ScimUser =>
  toUser(applyPatch(current, operations, userType, budget));

function toUser(resource: JsonObject): ScimUser {
  const userName = getOwn(resource, 'userName');
  if (typeof userName !== 'string' || userName.trim() === '') throw missingValue('userName');
  return {
    userName,
    externalId: readExternalId(resource),
    active: getOwn(resource, 'active') !== false,
    resource,
  };
}
