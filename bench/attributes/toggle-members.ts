import type { Client } from '../support/client.ts';
import type { BenchDirectory } from '../support/directories.ts';
import { addMember, createGroup, removeMember } from '../support/groups.ts';
import type { Source } from '../support/load.ts';
import { createUsers } from '../support/users.ts';

/** Each writer alternately adds its own user to the group, and removes it. */
export async function toggleMembers(
  client: Client,
  directory: BenchDirectory,
  { displayName, writers }: { displayName: string; writers: number },
): Promise<Source> {
  const group = await createGroup(client, directory, displayName);
  const users = await createUsers(client, Array<BenchDirectory>(writers).fill(directory));
  const turns = users.map(() => 0);
  return (writer) => {
    const { id } = users[writer]!;
    turns[writer]! += 1;
    return turns[writer]! % 2 === 1 ? addMember(group, id) : removeMember(group, id);
  };
}
