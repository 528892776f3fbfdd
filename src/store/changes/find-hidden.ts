import type { Knex } from 'knex';
import type { Snapshot } from '../../directory/changes/snapshot.ts';
import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/** The inactive ones among the users that the snapshot only names: those that are members, and those that may become members. */
export async function findHidden(
  db: Knex | Knex.Transaction,
  directoryId: string,
  { users, userNames, memberships }: Pick<Snapshot, 'users' | 'userNames' | 'memberships'>,
): Promise<Set<string>> {
  const named = new Set(userNames.map(({ id }) => id));
  for (const { memberId, kind } of memberships) if (kind === 'user') named.add(memberId);
  for (const { id } of users) named.delete(id);
  if (named.size === 0) return new Set();
  const rows = await runPrepared<{ id: string }>(
    db,
    'hidden-users',
    () => `select id from ${lookUpRows({ table: 'users', column: 'id', values: boundValues('userIds', 'uuid'), and: 'not active' })}`,
    { directoryId, userIds: [...named] },
  );
  return new Set(rows.map(({ id }) => id));
}
