import { createClient } from '../support/client.ts';
import type { BenchDirectory } from '../support/directories.ts';
import { addMember, createGroup, removeMember } from '../support/groups.ts';
import type { ScimRequest } from '../support/client.ts';
import { createUser, listUsers, makeUser, nextTag, patchUser } from '../support/users.ts';
import type { KindOfRequest } from './send-at-rate.ts';

/** How many of 25 requests are of each kind. */
const shares = { 'find by userName': 8, 'find by externalId': 4, read: 4, update: 5, create: 2, 'update members': 2 };
type Kind = keyof typeof shares;

const kinds = Object.entries(shares).flatMap(([kind, count]) => Array.from({ length: count }, () => kind as Kind));
/** Coprime with the number of requests, so that requests of one kind are spread evenly. */
const stride = 7;
const userCount = 50;

/** Fills the directory, and returns a source of the requests that Entra sends. Each change changes something. */
export async function createEntraRequests(
  directory: BenchDirectory,
  { baseUrl, signal }: { baseUrl: string; signal: AbortSignal },
): Promise<() => KindOfRequest> {
  const client = createClient({ baseUrl, connections: 8, signal });
  const users = await Promise.all(
    Array.from({ length: userCount }, async () => {
      const user = makeUser(nextTag());
      const { id } = await client.fetch<{ id: string }>(createUser(directory, user));
      return { id, directory, userName: user.userName, externalId: user.externalId };
    }),
  );
  const group = await createGroup(client, directory, 'Engineers');
  await client.close();

  const build: Record<Kind, (turn: number) => ScimRequest> = {
    'find by userName': (turn) => listUsers(directory, { filter: `userName eq "${users[turn % userCount]!.userName}"` }),
    'find by externalId': (turn) => listUsers(directory, { filter: `externalId eq "${users[turn % userCount]!.externalId}"` }),
    read: (turn) => readUser(directory, users[turn % userCount]!.id),
    update: (turn) =>
      patchUser(
        users[turn % userCount]!,
        turn % 2 === 0
          ? { op: 'Replace', path: 'active', value: Math.floor(turn / userCount) % 2 === 1 }
          : { op: 'Replace', path: 'displayName', value: `Ada ${turn}` },
      ),
    create: () => createUser(directory, makeUser(nextTag())),
    'update members': (turn) => {
      const { id } = users[Math.floor(turn / 2) % userCount]!;
      return turn % 2 === 0 ? addMember(group, id) : removeMember(group, id);
    },
  };
  const turns: Partial<Record<Kind, number>> = {};
  let sent = 0;
  return () => {
    const kind = kinds[(sent * stride) % kinds.length]!;
    sent += 1;
    const turn = turns[kind] ?? 0;
    turns[kind] = turn + 1;
    return { kind, request: build[kind](turn) };
  };
}

const readUser = ({ scimPath, secret }: BenchDirectory, id: string): ScimRequest => ({
  method: 'GET',
  path: `${scimPath}/Users/${id}`,
  secret,
  statuses: [200],
});
