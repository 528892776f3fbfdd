import type { Budget } from '../../scim/budget.ts';
import { readGroup, newGroup } from '../../scim/group.ts';
import { readPatch } from '../../scim/patch/read-patch.ts';
import type { Versions } from '../../scim/etag.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { groupType, userType } from '../../scim/schema/resource-types.ts';
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
      return { kind: 'createUser', resourceId, resource: assertComplete(newUser, readUser(body, budget)) };
    case 'PUT':
      return { kind: 'replaceUser', resourceId, ...conditionOf(ifMatch), resource: assertComplete(newUser, readUser(body, budget)) };
    case 'PATCH':
      return { kind: 'patchUser', resourceId, ...conditionOf(ifMatch), operations: readPatch(body, userType, budget).operations };
    case 'DELETE':
      return { kind: 'deleteUser', resourceId, ...conditionOf(ifMatch) };
  }
}

function readGroupChange({ method, resourceId, ifMatch, body, budget }: ChangeRequest): Change {
  switch (method) {
    case 'POST': {
      const { resource, members = [] } = readGroup(body, budget);
      return { kind: 'createGroup', resourceId, resource: assertComplete(newGroup, resource), members };
    }
    case 'PUT': {
      const { resource, members } = readGroup(body, budget);
      return {
        kind: 'replaceGroup',
        resourceId,
        ...conditionOf(ifMatch),
        resource: assertComplete(newGroup, resource),
        ...(members && { members }),
      };
    }
    case 'PATCH':
      return { kind: 'patchGroup', resourceId, ...conditionOf(ifMatch), ...readPatch(body, groupType, budget) };
    case 'DELETE':
      return { kind: 'deleteGroup', resourceId, ...conditionOf(ifMatch) };
  }
}

/** Throws if a required attribute is missing; returns the resource unchanged. */
function assertComplete<Resource>(check: (resource: Resource) => unknown, resource: Resource): Resource {
  check(resource);
  return resource;
}

/** `*` needs no version: the change itself checks that the resource exists. */
const conditionOf = (ifMatch: Versions | undefined) => (ifMatch === undefined || ifMatch === '*' ? {} : { ifMatch });
