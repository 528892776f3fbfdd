import type { JsonObject } from '../../../src/scim/json.ts';
import { applyPatch } from '../../../src/scim/patch/apply-patch.ts';
import { readPatch } from '../../../src/scim/patch/read-patch.ts';
import type { ResourceType } from '../../../src/scim/schema/attribute.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';

export const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export const message = (...operations: unknown[]) => ({ schemas: [patchOp], Operations: operations });

export const operationsOf = (operations: unknown[], type: ResourceType = userType) => readPatch(message(...operations), type).operations;
export const membersOf = (...operations: unknown[]) => readPatch(message(...operations), groupType).members;

/** The user after these operations, which pass through JSON. */
export function patch(resource: JsonObject, ...operations: unknown[]): JsonObject {
  const read = JSON.parse(JSON.stringify(operationsOf(operations))) as ReturnType<typeof operationsOf>;
  return applyPatch(resource, read, userType);
}
