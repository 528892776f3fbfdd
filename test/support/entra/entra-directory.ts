import { expect } from '@jest/globals';
import { toPulledDirectory } from '../pulled-directories.ts';
import { createFollower, describeUser, type State, storedIn } from '../pulled-state.ts';
import type { TestService } from '../service.ts';
import type { EntraGroup, EntraUser } from './entra-world.ts';
import type { FakeEntra } from './fake-entra.ts';

type Place = Pick<TestService, 'db'> & { api(method: string, path: string, body?: unknown): ReturnType<TestService['api']> };

/** A directory of type entra that reads the tenant of this fake, unless the fields say otherwise. */
export async function createEntraDirectory(place: Place, entra: FakeEntra, fields: Record<string, unknown> = {}) {
  const { status, body } = await place.api('POST', '/api/v1/directory-sync', {
    tenant: 'acme',
    product: 'app',
    type: 'entra',
    entra_tenant_id: entra.tenant,
    ...fields,
  });
  if (status !== 201) throw new Error(`The directory was not created: ${JSON.stringify(body)}`);
  const directory = toPulledDirectory(place, body.data.id as string);
  const followed = createFollower();
  return {
    ...directory,
    /** The directory and what its events tell are the same as the tenant. Returns the types of the events since the last call. */
    async expectSame(among: (id: string) => boolean = () => true): Promise<string[]> {
      const events = await directory.newEvents();
      const truth = truthOf(entra, among);
      expect(await storedIn(place, directory.id)).toEqual(truth);
      expect(followed.after(events)).toEqual({ ...truth, members: truth.members.filter((member) => !member.endsWith(' group')) });
      return events.map(({ event }) => event).sort();
    },
    /** Makes the comparison of everything due. */
    ageComparison: () =>
      place
        .db('all_directories')
        .where({ id: directory.id })
        .update({ provider_compared_at: new Date(Date.now() - 25 * 3_600_000) }),
  };
}

function truthOf({ users, groups, members }: FakeEntra, among: (id: string) => boolean): State {
  return {
    users: [...users.values()]
      .filter(({ id }) => among(id))
      .map(({ id, userPrincipalName, accountEnabled }: EntraUser) => describeUser(id, userPrincipalName, accountEnabled))
      .sort(),
    groups: [...groups.values()]
      .filter(({ id }) => among(id))
      .map(({ id, displayName }: EntraGroup) => `${id} ${displayName}`)
      .sort(),
    members: [...members]
      .filter(([groupId]) => among(groupId))
      .flatMap(([groupId, ids]) =>
        [...ids].filter((id) => users.has(id) || groups.has(id)).map((id) => `${groupId} ${id} ${users.has(id) ? 'user' : 'group'}`),
      )
      .sort(),
  };
}
