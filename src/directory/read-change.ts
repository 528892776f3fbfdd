import type { Budget } from '../scim/budget.ts';
import { readGroup, newGroup } from '../scim/group.ts';
import { readPatch } from '../scim/patch/read-patch.ts';
import type { Versions } from '../scim/preconditions.ts';
import type { ResourceTypeName } from '../scim/schema/attribute.ts';
import { groupType, userType } from '../scim/schema/resource-types.ts';
import { newUser, readUser } from '../scim/user.ts';
import type { Change } from './mutation.ts';

export interface ChangeRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  resourceType: ResourceTypeName;
  /** Of a creation, the id that the resource is to have. */
  resourceId: string;
  ifMatch?: Versions | undefined;
  body?: unknown;
  /** What the whole request may cost. */
  budget?: Budget | undefined;
}

/** Reads what a provider asks for. Whatever can be refused without looking at what is stored is refused here. */
export function readChange(request: ChangeRequest): Change {
  return request.resourceType === 'User' ? readUserChange(request) : readGroupChange(request);
}

function readUserChange({ method, resourceId, ifMatch, body, budget }: ChangeRequest): Change {
  switch (method) {
    case 'POST':
      return { kind: 'createUser', resourceId, resource: complete(newUser, readUser(body, budget)) };
    case 'PUT':
      return { kind: 'replaceUser', resourceId, ...conditionOf(ifMatch), resource: complete(newUser, readUser(body, budget)) };
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
      return { kind: 'createGroup', resourceId, resource: complete(newGroup, resource), members };
    }
    case 'PUT': {
      const { resource, members } = readGroup(body, budget);
      return {
        kind: 'replaceGroup',
        resourceId,
        ...conditionOf(ifMatch),
        resource: complete(newGroup, resource),
        ...(members && { members }),
      };
    }
    case 'PATCH':
      return { kind: 'patchGroup', resourceId, ...conditionOf(ifMatch), ...readPatch(body, groupType, budget) };
    case 'DELETE':
      return { kind: 'deleteGroup', resourceId, ...conditionOf(ifMatch) };
  }
}

/** Refuses what lacks a required attribute; what is asked for stays as it was sent. */
function complete<Resource>(check: (resource: Resource) => unknown, resource: Resource): Resource {
  check(resource);
  return resource;
}

/** Any version will do: that there is one, the change itself finds out. */
const conditionOf = (ifMatch: Versions | undefined) => (ifMatch === undefined || ifMatch === '*' ? {} : { ifMatch });
