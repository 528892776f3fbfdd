import type { ScimErrorDetails } from '../../scim/errors.ts';
import type { ChangeError } from './change-errors.ts';
import type { JsonObject } from '../../scim/json.ts';
import type { UserWithGroups } from '../resources/user.ts';
import type { Member, MemberChange, PatchOperation } from '../../scim/patch/operation.ts';
import type { PushedOperation } from '../../scim/patch/patch-pushed.ts';
import type { Pushed } from '../../scim/pushed.ts';

/**
 * A change that an identity provider requests. Its ID, and the IDs of resources that it creates, are generated before it is submitted, so that
 * applying it twice returns the first outcome.
 */
export type Mutation = { id: string; directoryId: string } & (Change | Bulk | Recompute);

/**
 * One change of one resource. `resourceId` is its key; `resource` is normalized: it has no ID, no password and no read-only attributes.
 * `pushed` is what differs in the document that was pushed, or in the provider's object, or what a PATCH does to that document.
 */
export type Change = { resourceId: string } & (
  | ({ kind: 'createUser'; resource: JsonObject; pushed?: Pushed } & WithGivenId)
  | ({ kind: 'replaceUser'; resource: JsonObject; pushed?: Pushed } & Conditional)
  | ({ kind: 'patchUser'; operations: PatchOperation[]; pushed?: PushedOperation[] } & Conditional)
  | ({ kind: 'deleteUser' } & Conditional)
  /** Groups of pulled directories may have the same name. */
  | ({ kind: 'createGroup'; resource: JsonObject; pushed?: Pushed; members: Member[]; allowDuplicateName?: boolean } & WithGivenId)
  /** Without `members`, the members do not change. */
  | ({ kind: 'replaceGroup'; resource: JsonObject; pushed?: Pushed; members?: Member[] } & Conditional)
  | ({ kind: 'patchGroup'; operations: PatchOperation[]; pushed?: PushedOperation[]; members: MemberChange[] } & Conditional)
  | ({ kind: 'deleteGroup' } & Conditional)
);

interface WithGivenId {
  /** The public ID of a resource that comes from elsewhere (`toGivenIds`). Without it the new key is the ID. */
  givenId?: string;
}

interface Conditional {
  /** One of these must be the current version of the resource. */
  ifMatch?: number[];
}

/** Several changes in one transaction, in their order, each with its own result. */
export interface Bulk {
  kind: 'bulk';
  operations: BulkOperation[];
  /** Stops after so many errors. */
  failOnErrors?: number;
  /** The Bulk was staged, and its row was deleted. */
  isLost?: true;
  /** User names must be unique at the end only: two users may swap theirs. */
  deferUniqueness?: boolean;
}

export type BulkOperation = {
  /** Position in the request. */
  index: number;
} & (
  | {
      /** Operations that must not have failed before. */
      dependsOn: number[];
      change: Change;
    }
  /** The operation is invalid; the HTTP layer keeps the error. */
  | { isInvalid: true }
);

/** Computes again what follows from the users and the rules of their directory. Users that it changes nothing of are not written. */
export interface Recompute {
  kind: 'recompute';
  userIds: string[];
  /** They are noted as users to recompute. The transaction that computes them deletes the notes. */
  isNoted?: boolean;
}

/** Whether it only removes users and groups. A Bulk counts if all its operations do. */
export function isDeletion(mutation: Change | Bulk | Recompute): boolean {
  if (mutation.kind !== 'bulk') return mutation.kind === 'deleteUser' || mutation.kind === 'deleteGroup';
  return mutation.operations.every((operation) => 'isInvalid' in operation || isDeletion(operation.change));
}

/** The result of a change. It is small and contains no personal data, because it is kept, including in workflow history. */
export interface Result {
  /** The resource that was created or changed. Identical requests that share a mutation get the same one. */
  resourceId: string;
  error?: ChangeError | ScimErrorDetails;
  /** Version and modification time after the change. A deleted resource has none. */
  version?: number;
  at?: string;
  /** The new resource is in a group already: it was a pending member. */
  wasPending?: true;
}

export interface Outcome extends Result {
  mutationId: string;
  /** The sequence numbers of its events, if there are any. */
  emitted?: { first: number; count: number };
  /** The user after the change, if it is known without another read. It is not stored. */
  user?: UserWithGroups;
  /** The keys of the first 100 users who joined or left a group. They are not stored. */
  moved?: string[];
  /** Bulk: results of the valid operations that were tried. */
  results?: (Result & { index: number })[];
  /** Bulk that stopped after errors: how many operations were tried. */
  attempted?: number;
}

/** The code of the error, if the domain rejected the change. */
export const codeOf = ({ error }: Result): ChangeError['code'] | undefined => (error && 'code' in error ? error.code : undefined);
