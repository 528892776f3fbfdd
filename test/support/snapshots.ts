import { expect } from '@jest/globals';
import { apiKey, type TestService } from './service.ts';

// oxlint-disable-next-line typescript/no-explicit-any
export type Line = { type: string; data: any; [name: string]: any };

export const snapshotPath = (directoryId: string) => `/api/v1/directory-sync/${directoryId}/snapshot`;

export const fetchSnapshot = (service: Pick<TestService, 'baseUrl'>, directoryId: string): Promise<Response> =>
  fetch(`${service.baseUrl}${snapshotPath(directoryId)}`, { headers: { authorization: `Api-Key ${apiKey}` } });

export const parseLines = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** All lines of a snapshot, which must be complete. */
export async function readSnapshot(service: TestService, directoryId: string): Promise<Line[]> {
  const response = await fetchSnapshot(service, directoryId);
  expect(response.status).toBe(200);
  const lines = parseLines(await response.text());
  expect([lines[0]?.type, lines.at(-1)?.type]).toEqual(['start', 'end']);
  return lines;
}

/** What an application keeps that follows a directory. */
export interface Kept {
  users: Map<string, object>;
  groups: Map<string, object>;
  memberships: Set<string>;
}

// oxlint-disable-next-line typescript/no-explicit-any
const userOf = ({ id, first_name, last_name, email, active, roles, raw }: any) => ({
  id,
  first_name,
  last_name,
  email,
  active,
  roles,
  raw,
});
// oxlint-disable-next-line typescript/no-explicit-any
const groupOf = ({ id, name, raw }: any) => ({ id, name, raw });

export function keep(lines: Line[]): Kept {
  const of = (type: string) => lines.filter((line) => line.type === type).map(({ data }) => data);
  return {
    users: new Map(of('user').map((user) => [user.id, userOf(user)])),
    groups: new Map(of('group').map((group) => [group.id, groupOf(group)])),
    memberships: new Set(of('membership').map(({ group_id: group, user_id: user }) => `${group} ${user}`)),
  };
}

/** Changes what is kept as the events say. A change that says nothing new fails. */
// oxlint-disable-next-line typescript/no-explicit-any
export function follow(kept: Kept, events: { event: string; data: any }[]): Kept {
  for (const { event, data } of events) {
    if (event === 'group.user_added') {
      expect(kept.memberships.has(`${data.group.id} ${data.id}`)).toBe(false);
      kept.memberships.add(`${data.group.id} ${data.id}`);
    } else if (event === 'group.user_removed') expect(kept.memberships.delete(`${data.group.id} ${data.id}`)).toBe(true);
    else {
      const [table, shown] = event.startsWith('user.') ? ([kept.users, userOf] as const) : ([kept.groups, groupOf] as const);
      expect(table.has(data.id)).toBe(!event.endsWith('.created'));
      if (event.endsWith('.deleted')) table.delete(data.id);
      else table.set(data.id, shown(data));
    }
  }
  return kept;
}

/** The events after a cursor of the feed of a directory. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function readFeed(service: TestService, directoryId: string, start: string): Promise<any[]> {
  const events = [];
  for (let after = start, more = true; more;) {
    const { body } = await service.api('GET', `/api/v1/events?${new URLSearchParams({ directory_id: directoryId, after }).toString()}`);
    events.push(...body.data);
    ({ after, has_more: more } = body.list_metadata);
  }
  return events;
}
