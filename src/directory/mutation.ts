import type { ScimRefusal } from '../scim/errors.ts';
import type { ScimUser } from '../scim/user.ts';

/**
 * One change that a provider asks for. Its own id, and that of the resource it would create, are chosen before it travels:
 * applying it twice finds the first outcome.
 */
export type Mutation = CreateUser | DeleteUser;

interface MutationBase {
  id: string;
  directoryId: string;
}
export interface CreateUser extends MutationBase {
  kind: 'createUser';
  userId: string;
  user: ScimUser;
}
export interface DeleteUser extends MutationBase {
  kind: 'deleteUser';
  userId: string;
}

/** What became of a mutation: small, and without a person's data, since it is kept and travels through workflow history. */
export interface Outcome {
  mutationId: string;
  /** The resource that was made or changed: the first one's, if two identical requests shared one mutation. */
  resourceId: string;
  refusal?: ScimRefusal;
  /** The resource's version and time after the change, where it still exists. */
  version?: number;
  at?: string;
}
