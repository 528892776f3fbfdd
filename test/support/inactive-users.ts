import { expect } from '@jest/globals';
import { ada, type TestDirectory, type TestService } from './service.ts';
import { follow, keep, readFeed, readSnapshot } from './snapshots.ts';

export const push = async (directory: TestDirectory, path: string, body: object): Promise<string> =>
  (await directory.scim('POST', path, body)).body.id;
export const patch = async (directory: TestDirectory, path: string, ...Operations: object[]) => {
  const { status } = await directory.scim('PATCH', path, { Operations });
  expect([200, 204]).toContain(status);
};
export const setActive = (directory: TestDirectory, id: string, value: boolean) =>
  patch(directory, `/Users/${id}`, { op: 'replace', path: 'active', value });
export const addMember = (directory: TestDirectory, group: string, ...ids: string[]) =>
  patch(directory, `/Groups/${group}`, { op: 'add', path: 'members', value: ids.map((value) => ({ value })) });

/** Three users, of whom two are inactive and one of these is in a group. That takes seven events. */
export async function pushInactive(directory: TestDirectory): Promise<void> {
  const [one, another] = [await push(directory, '/Users', ada), await push(directory, '/Users', { userName: 'bob@acme.example' })];
  await push(directory, '/Users', { userName: 'cy@acme.example' });
  await push(directory, '/Groups', { displayName: 'Team', members: [{ value: one }] });
  await setActive(directory, one, false);
  await setActive(directory, another, false);
}

/** Inserts users, every second one inactive. */
export async function fillInactive(
  service: Pick<TestService, 'db'>,
  directoryId: string,
  count: number,
  inactive = 'n % 2 = 0',
): Promise<string[]> {
  const { rows } = await service.db.raw<{ rows: { id: string }[] }>(
    `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     select :directoryId, cast(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' as uuid), 'u' || n, 'u' || n, not (${inactive}), '', '', '',
       jsonb_build_object('userName', 'u' || n, 'active', not (${inactive})), now(), now()
     from generate_series(1, :count) n returning id`,
    { directoryId, count },
  );
  return rows.map(({ id }) => id);
}

export const readEvents = async (service: TestService, id: string) =>
  (await service.api('GET', `/api/v1/events?directory_id=${id}&limit=1000`)).body.data as {
    event: string;
    reason: string;
    sequence: number;
    // oxlint-disable-next-line typescript/no-explicit-any
    data: any;
  }[];

const nothing = () => ({ users: new Map(), groups: new Map(), memberships: new Set<string>() });
/** What an application keeps that has read all events, and one that begins with a snapshot. */
export const readBoth = async (service: TestService, id: string) =>
  [follow(nothing(), await readFeed(service, id, '')), keep(await readSnapshot(service, id))] as const;
