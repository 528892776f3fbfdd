import type { Knex } from 'knex';
import type { Snapshot } from '../../directory/changes/snapshot.ts';
import type { Hiding } from '../../directory/directories/hiding.ts';
import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { isUserShown, toHidingBindings } from '../users/is-shown.ts';

type Named = Pick<Snapshot, 'users' | 'userNames' | 'memberships'>;

/** Users that the snapshot only names: those that are members, and those that may become members. */
export function namedUsers({ users, userNames, memberships }: Named): Set<string> {
  const named = new Set(userNames.map(({ id }) => id));
  for (const { memberId, kind } of memberships) if (kind === 'user') named.add(memberId);
  for (const { id } of users) named.delete(id);
  return named;
}

/** The hidden ones among them. */
export async function findHidden(db: Knex | Knex.Transaction, directoryId: string, snapshot: Named, hiding: Hiding): Promise<Set<string>> {
  const named = namedUsers(snapshot);
  if (named.size === 0) return named;
  const rows = await runPrepared<{ id: string }>(
    db,
    'hidden-users',
    () =>
      `select id from ${lookUpRows({ table: 'users', column: 'id', values: boundValues('userIds', 'uuid'), and: `not ${isUserShown('users')}` })}`,
    { directoryId, userIds: [...named], ...toHidingBindings(hiding) },
  );
  return new Set(rows.map(({ id }) => id));
}
