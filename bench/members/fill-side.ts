import type { Knex } from 'knex';
import { createClient, type Client } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { createDirectories, type BenchDirectory } from '../support/directories.ts';
import { copyPolisRows, fillGroup, fillUsers, withDatabase } from '../support/fill.ts';
import { addMember, createGroup, type CreatedGroup } from '../support/groups.ts';
import type { RunningSide } from '../support/sides.ts';
import { createUsers } from '../support/users.ts';

export interface FilledSide extends RunningSide {
  small: CreatedGroup;
  large: CreatedGroup;
  /** Users who are in neither group. */
  spare: string[];
}

interface Sizes {
  small: number;
  large: number;
  spare: number;
}

export async function fillSide(side: RunningSide, { small, large, spare }: Sizes, { signal }: Cleanup): Promise<FilledSide> {
  const [directory] = await createDirectories({ ...side, count: 1 });
  const client = createClient({ baseUrl: side.baseUrl, connections: 16, signal });
  const sizes = [small, large];
  const groups: CreatedGroup[] = [];
  for (const size of sizes) groups.push(await createGroup(client, directory!, `Group of ${size}`));
  const fill = side.side === 'rollcall' ? fillRollcall : fillPolisSide;
  await withDatabase(side.databaseUrl, (db) => fill(db, { client, directory: directory!, groups, sizes }));
  const users = await createUsers(client, Array<BenchDirectory>(spare).fill(directory!));
  await client.close();
  return { ...side, small: groups[0]!, large: groups[1]!, spare: users.map(({ id }) => id) };
}

interface FillOptions {
  client: Client;
  directory: BenchDirectory;
  groups: CreatedGroup[];
  sizes: number[];
}

async function fillRollcall(db: Knex, { client, directory, groups, sizes }: FillOptions) {
  await fillUsers(db, { client, directory, count: Math.max(...sizes) });
  for (const [index, group] of groups.entries()) await fillGroup(db, { group, count: sizes[index]! });
}

async function fillPolisSide(db: Knex, { client, directory, groups, sizes }: FillOptions) {
  const [user] = await createUsers(client, [directory]);
  for (const group of groups) await client.fetch(addMember(group, user!.id));
  await copyPolisRows(db, { kind: 'users', field: 'id', value: user!.id }, Math.max(...sizes));
  for (const [index, group] of groups.entries())
    await copyPolisRows(db, { kind: 'members', field: 'group_id', value: group.id }, sizes[index]!);
}
