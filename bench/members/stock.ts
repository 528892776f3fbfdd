import type { Knex } from 'knex';
import { createClient, type Client } from '../support/client.ts';
import type { Closing } from '../support/closing.ts';
import { createDirectories, type BenchDirectory } from '../support/directories.ts';
import { fillPolis, fillGroup, fillUsers, withDatabase } from '../support/fill.ts';
import { addMember, createGroup, type MadeGroup } from '../support/groups.ts';
import type { RunningSide } from '../support/sides.ts';
import { createUsers } from '../support/users.ts';

export interface StockedSide extends RunningSide {
  small: MadeGroup;
  large: MadeGroup;
  /** Users who are in neither group. */
  spare: string[];
}

interface Stock {
  small: number;
  large: number;
  spare: number;
}

export async function stockSide(side: RunningSide, { small, large, spare }: Stock, { signal }: Closing): Promise<StockedSide> {
  const [directory] = await createDirectories({ ...side, count: 1 });
  const client = createClient({ baseUrl: side.baseUrl, connections: 16, signal });
  const sizes = [small, large];
  const groups: MadeGroup[] = [];
  for (const size of sizes) groups.push(await createGroup(client, directory!, `Group of ${size}`));
  const fill = side.side === 'rollcall' ? stockRollcall : stockPolis;
  await withDatabase(side.databaseUrl, (db) => fill(db, { client, directory: directory!, groups, sizes }));
  const users = await createUsers(client, Array<BenchDirectory>(spare).fill(directory!));
  await client.close();
  return { ...side, small: groups[0]!, large: groups[1]!, spare: users.map(({ id }) => id) };
}

interface StockOptions {
  client: Client;
  directory: BenchDirectory;
  groups: MadeGroup[];
  sizes: number[];
}

async function stockRollcall(db: Knex, { client, directory, groups, sizes }: StockOptions) {
  await fillUsers(db, { client, directory, count: Math.max(...sizes) });
  for (const [index, group] of groups.entries()) await fillGroup(db, { group, count: sizes[index]! });
}

async function stockPolis(db: Knex, { client, directory, groups, sizes }: StockOptions) {
  const [user] = await createUsers(client, [directory]);
  for (const group of groups) await client.fetch(addMember(group, user!.id));
  await fillPolis(db, { kind: 'users', field: 'id', value: user!.id }, Math.max(...sizes));
  for (const [index, group] of groups.entries())
    await fillPolis(db, { kind: 'members', field: 'group_id', value: group.id }, sizes[index]!);
}
