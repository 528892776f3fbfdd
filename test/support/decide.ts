import { decideOutcomes } from '../../src/directory/changes/apply-to-directory.ts';
import type { Snapshot } from '../../src/directory/changes/snapshot.ts';
import type { Group } from '../../src/directory/resources/group.ts';
import type { BulkOperation, Change, Mutation } from '../../src/directory/changes/mutation.ts';
import { readChange } from '../../src/directory/changes/read-change.ts';
import { defaultQuotas } from '../../src/directory/quotas.ts';
import type { User } from '../../src/directory/resources/user.ts';
import { newId } from '../../src/ids.ts';
import type { Budget } from '../../src/scim/budget.ts';
import { readBulk } from '../../src/scim/bulk/read-bulk.ts';
import type { JsonObject } from '../../src/scim/json.ts';
import { newGroup } from '../../src/scim/group.ts';
import { newUser } from '../../src/scim/user.ts';

const directoryId = newId();
const row = () => ({ id: newId(), version: 1, createdAt: new Date(0), updatedAt: new Date(0) });

export const storedUser = (resource: JsonObject = {}): User => ({ ...newUser({ userName: newId(), ...resource }), ...row() });
export const storedGroup = (resource: JsonObject = {}): Group => ({
  ...newGroup({ displayName: newId(), ...resource }),
  ...row(),
  allowDuplicateName: false,
});

export const snapshotOf = (held: Partial<Snapshot>): Snapshot => ({
  now: new Date(1),
  lastSequence: 0,
  userStateEvents: false,
  hiding: undefined,
  hidden: new Set(),
  attributeRules: undefined,
  roleTable: undefined,
  rolePlaces: new Map(),
  usage: { users: 0, groups: 0, memberships: 0, resourceBytes: 0 },
  quotas: { limits: defaultQuotas, own: {} },
  undeliveredBytes: 0,
  outcomesTrimmedAt: undefined,
  memberCounts: new Map(),
  groupCounts: new Map(),
  knownOutcomes: [],
  users: [],
  groups: [],
  userNames: [],
  groupNames: [],
  memberships: [],
  pendingMembers: [],
  ...held,
});

export const mutationOf = (change: Change): Mutation => ({ id: newId(), directoryId, ...change });

/** Parses a Bulk request like its route. Ids must be Rollcall's. */
export function readBulkMutation(body: unknown, budget?: Budget): Mutation {
  const { operations, order } = readBulk(body, { newId });
  const toStep = (index: number): BulkOperation => {
    const operation = operations[index]!;
    if (operation.error) return { index, isInvalid: true };
    const { method, resourceType, resourceId, ifMatch, data, dependsOn } = operation;
    return { index, dependsOn, change: readChange({ method, resourceType, resourceId, ifMatch, body: data, budget }) };
  };
  return { id: newId(), directoryId, kind: 'bulk', operations: order.map(toStep) };
}

export const bulkRequest = (operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations: operations,
});
export const patchIn = (path: string, ...operations: object[]) => ({ method: 'PATCH', path, data: { Operations: operations } });

export async function decide(mutations: Mutation[], held: Partial<Snapshot>) {
  const { outcomes, space } = await decideOutcomes(mutations, snapshotOf(held));
  return { outcomes, writes: space.writes() };
}
