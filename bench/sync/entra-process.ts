import { createServer } from 'node:http';
import { startFakeEntra } from '../../test/support/entra/fake-entra.ts';
import type { WorldSize } from './world.ts';

/** What the parent process needs; returned by the readiness endpoint. */
export interface EntraFacts {
  tenant: string;
  environment: Record<string, string>;
}

const { users, groups, members } = JSON.parse(process.env['WORLD']!) as WorldSize;
const entra = await startFakeEntra();
// Graph chooses the size of a page of changes. About 200 were seen.
entra.odd.pageSize = 200;
entra.state.keepsRequests = false;
const userIds = Array.from({ length: users }, () => entra.addUser().id);
const groupIds = Array.from({ length: groups }, (_, group) => {
  const { id } = entra.addGroup();
  for (let index = 0; index < members; index += 1) entra.addMember(id, userIds[(group * members + index) % users]!);
  return id;
});

function change(): void {
  for (let index = 0; index < users; index += 100) entra.changeUser(userIds[index]!, { displayName: `Changed ${index}` });
  for (let index = 0; index < groups; index += 100) entra.removeMember(groupIds[index]!, userIds[(index * members) % users]!);
}

const facts: EntraFacts = { tenant: entra.tenant, environment: entra.env() };
const server = createServer((request, response) => {
  if (request.method === 'POST') change();
  response.end(JSON.stringify(facts));
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
