import { expect } from '@jest/globals';
import { type EmittedEvent, toPulledDirectory } from '../pulled-directories.ts';
import type { TestService } from '../service.ts';
import type { EntraGroup, EntraUser } from './entra-world.ts';
import type { FakeEntra } from './fake-entra.ts';

type Place = Pick<TestService, 'db'> & { api(method: string, path: string, body?: unknown): ReturnType<TestService['api']> };

/** What a tenant, a directory, or an application that follows the events has. Each part is sorted. */
interface State {
  users: string[];
  groups: string[];
  members: string[];
}

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

const describeUser = (id: string, userName: string, active: boolean) => `${id} ${userName} ${active}`;

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

async function storedIn({ db }: Pick<TestService, 'db'>, directoryId: string): Promise<State> {
  const of = { directory_id: directoryId };
  const users = await db('users')
    .where(of)
    .select('id', 'external_id', db.raw(`resource->>'userName' as name, cast(resource->>'active' as boolean) as active`));
  const groups = await db('groups').where(of).select('id', 'external_id', db.raw(`resource->>'displayName' as name`));
  const members = await db('group_members').where(of).select('group_id', 'member_id', 'kind');
  const pending = await db('pending_members').where(of).select('group_id', 'value');
  const ids = new Map([...users, ...groups].map((row) => [row.id as string, row.external_id as string]));
  return {
    users: users.map((row) => describeUser(row.external_id, row.name, row.active)).sort(),
    groups: groups.map((row) => `${row.external_id} ${row.name}`).sort(),
    members: [
      ...members.map((row) => `${ids.get(row.group_id)} ${ids.get(row.member_id)} ${row.kind}`),
      ...pending.map((row) => `${ids.get(row.group_id)} ${row.value} pending`),
    ].sort(),
  };
}

/** An application that keeps what the events tell. It fails if an event does not fit what it has. */
function createFollower() {
  const users = new Map<string, string>();
  const groups = new Map<string, string>();
  const members = new Set<string>();
  return {
    after(events: EmittedEvent[]): State {
      for (const { event, data } of events) follow(event, data);
      return { users: [...users.values()].sort(), groups: [...groups.values()].sort(), members: [...members].sort() };
    },
  };

  function follow(event: string, data: EmittedEvent['data']): void {
    const id = data.raw.externalId as string;
    const [kind, change] = event.split('.') as [string, string];
    if (kind === 'user') {
      expect([event, users.has(id)]).toEqual([event, change !== 'created']);
      if (change === 'deleted') users.delete(id);
      else users.set(id, describeUser(id, data.raw.userPrincipalName ?? data.raw.userName, data.active));
      if (change === 'deleted') for (const member of members) if (member.includes(` ${id} `)) members.delete(member);
      return;
    }
    if (change === 'user_added' || change === 'user_removed') {
      const member = `${data.group.raw.externalId} ${id} user`;
      expect([event, members.has(member)]).toEqual([event, change === 'user_removed']);
      if (change === 'user_added') members.add(member);
      else members.delete(member);
      return;
    }
    expect([event, groups.has(id)]).toEqual([event, change !== 'created']);
    if (change === 'deleted') groups.delete(id);
    else groups.set(id, `${id} ${data.name}`);
    if (change === 'deleted') for (const member of members) if (member.startsWith(`${id} `)) members.delete(member);
  }
}
