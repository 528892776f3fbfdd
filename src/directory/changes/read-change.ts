import type { Budget } from '../../scim/budget.ts';
import { readGroup, newGroup } from '../../scim/group.ts';
import { readPatch } from '../../scim/patch/read-patch.ts';
import type { Versions } from '../../scim/etag.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { groupType, userType } from '../../scim/schema/resource-types.ts';
import type { JsonObject } from '../../scim/json.ts';
import { readPushed } from '../../scim/pushed.ts';
import { newUser, readUser } from '../../scim/user.ts';
import type { Change } from './mutation.ts';

export interface ChangeRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  resourceType: ResourceTypeName;
  /** A create has the ID of the new resource. */
  resourceId: string;
  ifMatch?: Versions | undefined;
  body?: unknown;
  /** The budget of the whole request. */
  budget?: Budget | undefined;
}

/** Parses a SCIM request. Rejects whatever can be rejected without a database read. */
export function readChange(request: ChangeRequest): Change {
  return request.resourceType === 'User' ? readUserChange(request) : readGroupChange(request);
}

function readUserChange({ method, resourceId, ifMatch, body, budget }: ChangeRequest): Change {
  switch (method) {
    case 'POST':
      return { kind: 'createUser', resourceId, ...readUserDocument(body, budget) };
    case 'PUT':
      return { kind: 'replaceUser', resourceId, ...conditionOf(ifMatch), ...readUserDocument(body, budget) };
    case 'PATCH': {
      const { operations, pushed } = readPatch(body, userType, budget);
      return { kind: 'patchUser', resourceId, ...conditionOf(ifMatch), operations, pushed };
    }
    case 'DELETE':
      return { kind: 'deleteUser', resourceId, ...conditionOf(ifMatch) };
  }
}

function readUserDocument(body: unknown, budget: Budget | undefined) {
  const resource = assertComplete(newUser, readUser(body, budget));
  return { resource, pushed: readPushed(body as JsonObject, resource, userType, budget) };
}

function readGroupChange({ method, resourceId, ifMatch, body, budget }: ChangeRequest): Change {
  switch (method) {
    case 'POST':
      return { kind: 'createGroup', resourceId, members: [], ...readGroupDocument(body, budget) };
    case 'PUT':
      return { kind: 'replaceGroup', resourceId, ...conditionOf(ifMatch), ...readGroupDocument(body, budget) };
    case 'PATCH':
      return { kind: 'patchGroup', resourceId, ...conditionOf(ifMatch), ...readPatch(body, groupType, budget) };
    case 'DELETE':
      return { kind: 'deleteGroup', resourceId, ...conditionOf(ifMatch) };
  }
}

function readGroupDocument(body: unknown, budget: Budget | undefined) {
  const { resource, members } = readGroup(body, budget);
  assertComplete(newGroup, resource);
  return { resource, pushed: readPushed(body as JsonObject, resource, groupType, budget), ...(members && { members }) };
}

/** Throws if a required attribute is missing; returns the resource unchanged. */
function assertComplete<Resource>(check: (resource: Resource) => unknown, resource: Resource): Resource {
  check(resource);
  return resource;
}

/** `*` needs no version: the change itself checks that the resource exists. */
const conditionOf = (ifMatch: Versions | undefined) => (ifMatch === undefined || ifMatch === '*' ? {} : { ifMatch });
