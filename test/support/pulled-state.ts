import { expect } from '@jest/globals';
import type { EmittedEvent } from './pulled-directories.ts';
import type { TestService } from './service.ts';

/** What a provider, a directory, or an application that follows the events has. Each part is sorted. */
export interface State {
  users: string[];
  groups: string[];
  members: string[];
}

export const describeUser = (id: string, userName: string, active: boolean) => `${id} ${userName} ${active}`;

export async function storedIn({ db }: Pick<TestService, 'db'>, directoryId: string): Promise<State> {
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
export function createFollower() {
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
      else users.set(id, describeUser(id, data.raw.userPrincipalName ?? data.raw.userName ?? data.email, data.active));
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
