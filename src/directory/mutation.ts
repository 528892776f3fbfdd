import type { UserWithGroups } from './ports.ts';
import type { ScimRefusal } from '../scim/errors.ts';
import type { JsonObject } from '../scim/json.ts';
import type { Member, MemberChange, PatchOperation } from '../scim/patch/operation.ts';

/**
 * What a provider asks for. Its own id, and those of the resources it would create, are chosen before it travels: applying it
 * twice finds the first outcome.
 */
export type Mutation = { id: string; directoryId: string } & (Change | Bulk);

/** One change of one resource. The resource is as it was read: without id, password and whatever else is not the provider's. */
export type Change = { resourceId: string } & (
  | { kind: 'createUser'; resource: JsonObject }
  | ({ kind: 'replaceUser'; resource: JsonObject } & Conditional)
  | ({ kind: 'patchUser'; operations: PatchOperation[] } & Conditional)
  | ({ kind: 'deleteUser' } & Conditional)
  /** Groups that a hosted provider names may share a name. */
  | { kind: 'createGroup'; resource: JsonObject; members: Member[]; sharesName?: boolean }
  /** Without members they stay as they are. */
  | ({ kind: 'replaceGroup'; resource: JsonObject; members?: Member[] } & Conditional)
  | ({ kind: 'patchGroup'; operations: PatchOperation[]; members: MemberChange[] } & Conditional)
  | ({ kind: 'deleteGroup' } & Conditional)
);

interface Conditional {
  /** The versions of which one must be the resource's. */
  ifMatch?: number[];
}

/** Many changes in one transaction, each with a result of its own, in the order in which they are to happen. */
export interface Bulk {
  kind: 'bulk';
  operations: BulkOperation[];
  /** After so many refusals nothing more is tried. */
  failOnErrors?: number;
  /** It was staged, and its row is not there any more. */
  isLost?: true;
  /** Names count when all is done: two users may exchange theirs. */
  exchangesNames?: boolean;
}

export type BulkOperation = {
  /** Its place in the request. */
  index: number;
} & (
  | {
      /** Indexes of operations that must have succeeded, if they came before. */
      dependsOn: number[];
      change: Change;
    }
  /** It could not be read: why is not needed to apply the others. */
  | { isUnreadable: true }
);

/** What became of a change: small, and without a person's data, since it is kept and travels through workflow history. */
export interface Result {
  /** The resource that was made or changed: the first one's, if two identical requests shared one mutation. */
  resourceId: string;
  refusal?: ScimRefusal;
  /** The resource's version and time after the change, where it still exists. */
  version?: number;
  at?: string;
  /** It is a member of a group from the start: somebody waited for it. */
  awaited?: true;
}

export interface Outcome extends Result {
  mutationId: string;
  /** The sequence numbers of what it told, where it told anything. */
  told?: { first: number; count: number };
  /** As it is now, where that is known without asking; it is not kept. */
  user?: UserWithGroups;
  /** Of a bulk: what became of the operations that could be read and were tried, by their place in the request. */
  results?: (Result & { index: number })[];
  /** Of a bulk that was stopped by its errors: how many operations were tried. */
  tried?: number;
}
