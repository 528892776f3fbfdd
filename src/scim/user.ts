import { invalidValue } from './errors.ts';
import type { JsonObject } from './json.ts';
import { applyPatch } from './patch/apply-patch.ts';
import type { PatchOperation } from './patch/operation.ts';
import { finish, readResource } from './read-resource.ts';
import { userType } from './schema/resource-types.ts';

/** A user as a provider pushed it, and the attributes that this service itself looks at. */
export interface ScimUser {
  userName: string;
  externalId: string | undefined;
  active: boolean;
  /** Everything that was sent, less what the service assigns (`id`, `meta`, `groups`) and the password. */
  resource: JsonObject;
}

/** Reads the body of a POST or PUT. */
export const readUser = (body: unknown): JsonObject => readResource(body, userType);

/** A user is active unless the provider says otherwise. */
export const newUser = (resource: JsonObject): ScimUser => toUser({ active: true, ...resource });

/** What providers leave out of a PUT and still want kept (JumpCloud); everything else is replaced. */
export function replaceUser(current: JsonObject, incoming: JsonObject): ScimUser {
  const { active = true, externalId } = current;
  return toUser({ active, ...(externalId !== undefined && { externalId }), ...incoming });
}

export const patchUser = (current: JsonObject, operations: PatchOperation[]): ScimUser =>
  toUser({ active: true, ...finish(applyPatch(current, operations, userType), userType) });

function toUser(resource: JsonObject): ScimUser {
  const { userName, externalId, active } = resource;
  if (typeof userName !== 'string' || userName.trim() === '') throw invalidValue('userName is required: a string that is not empty.');
  return { userName, externalId: toExternalId(externalId), active: active === true, resource };
}

/** An empty one names nothing. */
export const toExternalId = (externalId: unknown) => (typeof externalId === 'string' && externalId !== '' ? externalId : undefined);
