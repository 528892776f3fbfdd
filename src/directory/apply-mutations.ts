import { uniqueness } from '../scim/errors.ts';
import type { NewEvent } from './event.ts';
import type { CreateUser, DeleteUser, Mutation, Outcome } from './mutation.ts';
import type { ChangeStore, DirectoryTransaction } from './ports.ts';
import { toUserProfile } from './user.ts';

export interface Applied {
  outcomes: Outcome[];
  wake: boolean;
}

/** Applies mutations of one directory in one transaction, in their order. A refused one leaves its neighbours alone. */
export async function applyMutations(store: ChangeStore, directoryId: string, mutations: Mutation[]): Promise<Applied> {
  const outcomes: Outcome[] = [];
  const ids = mutations.map(({ id }) => id);
  const changed = await store.change(directoryId, ids, async (tx) => {
    const fresh = mutations.filter(({ id }) => !tx.known.has(id));
    const events: NewEvent[] = [];
    const made: Outcome[] = [];
    for (const run of runsOfOneKind(fresh)) {
      const result = run.kind === 'createUser' ? await createUsers(tx, run.mutations) : await deleteUsers(tx, run.mutations);
      events.push(...result.events);
      made.push(...result.outcomes);
    }
    outcomes.push(...ids.flatMap((id) => tx.known.get(id) ?? []), ...made);
    return { events, outcomes: made };
  });
  if (changed === 'gone')
    return { outcomes: mutations.map(({ id, userId }) => ({ mutationId: id, resourceId: userId, refusal: directoryGone })), wake: false };
  return { outcomes, wake: changed.wake };
}

/** Neighbours of one kind share their statements; the order between kinds stays. */
type Run = { kind: 'createUser'; mutations: CreateUser[] } | { kind: 'deleteUser'; mutations: DeleteUser[] };
function runsOfOneKind(mutations: Mutation[]): Run[] {
  const runs: Run[] = [];
  for (const mutation of mutations) {
    const last = runs.at(-1);
    if (last?.kind === mutation.kind) (last.mutations as Mutation[]).push(mutation);
    else runs.push({ kind: mutation.kind, mutations: [mutation] } as Run);
  }
  return runs;
}

interface Result {
  events: NewEvent[];
  outcomes: Outcome[];
}

async function createUsers(tx: DirectoryTransaction, mutations: CreateUser[]): Promise<Result> {
  const users = mutations.map(({ userId, user }) => ({ id: userId, ...user }));
  const inserted = await tx.insertUsers(users);
  const at = tx.now.toISOString();
  return {
    events: users.filter(({ id }) => inserted.has(id)).map((user) => ({ type: 'user.created', data: { ...toUserProfile(user) } })),
    outcomes: mutations.map(({ id, userId }) =>
      inserted.has(userId)
        ? { mutationId: id, resourceId: userId, version: 1, at }
        : { mutationId: id, resourceId: userId, refusal: userNameTaken },
    ),
  };
}

async function deleteUsers(tx: DirectoryTransaction, mutations: DeleteUser[]): Promise<Result> {
  const deleted = new Map((await tx.deleteUsers(mutations.map(({ userId }) => userId))).map((user) => [user.id, user]));
  const result: Result = { events: [], outcomes: [] };
  for (const { id, userId } of mutations) {
    const user = deleted.get(userId);
    // Deleted once: a second mutation for the same user finds nothing.
    deleted.delete(userId);
    if (user) result.events.push({ type: 'user.deleted', data: { ...toUserProfile(user) } });
    result.outcomes.push({ mutationId: id, resourceId: userId, ...(!user && { refusal: userUnknown }) });
  }
  return result;
}

const userNameTaken = uniqueness('A user with this userName exists already.');
const userUnknown = { status: 404, detail: 'There is no user with this id.' };
const directoryGone = { status: 404, detail: 'The directory was deleted.' };
