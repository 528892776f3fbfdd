import type { Attack } from './attack.ts';
import { bulk, newUser, times } from './scenario.ts';

/** Pushes users with one Bulk request, and returns them as members for a group. */
export async function createMembers(attack: Attack, count: number, prefix: string): Promise<{ value: string }[]> {
  const operations = times(count, (index) => ({
    method: 'POST',
    path: '/Users',
    bulkId: `u${index}`,
    data: newUser(`${prefix}-${index}`),
  }));
  const { Operations } = await attack.prepare<{ Operations: { location: string }[] }>('POST', '/Bulk', bulk(...operations));
  return Operations.map(({ location }) => ({ value: location.split('/').at(-1)! }));
}

export async function fillUsers(attack: Attack, count: number, more: object = {}): Promise<void> {
  const { id } = await attack.prepare('POST', '/Users', newUser('model', more));
  await copyUser(attack, id, count - 1);
}

/** Copies the user `model` in the database, as if the copies had been pushed, but without events. */
export async function copyUser({ target: { db }, directory }: Attack, id: string, copies: number): Promise<void> {
  const bindings = { directoryId: directory.id, id, copies };
  await db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 120000');
    await trx.raw(
      `insert into users
       select copy.* from users u
         cross join generate_series(1, cast(:copies as int)) n
         cross join lateral jsonb_populate_record(u,
           cast(replace(cast(to_jsonb(u) as text), 'model', 'f' || n) as jsonb) || jsonb_build_object('id', uuidv7())) copy
       where u.directory_id = :directoryId and u.id = :id`,
      bindings,
    );
    await trx.raw('update directories set user_count = user_count + :copies where id = :directoryId', bindings);
  });
}

/** Creates the largest resource that the service accepts, by halving the size after each rejection. */
export async function createLargest(
  { prepare }: Pick<Attack, 'prepare'>,
  path: string,
  size: number,
  make: (size: number) => object,
): Promise<string> {
  const created = await prepare('POST', path, make(size)).catch((error: unknown) => {
    if (size < 10) throw error;
  });
  return created ? created.id : createLargest({ prepare }, path, Math.floor(size / 2), make);
}
