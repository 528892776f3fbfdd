import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installPolis } from '../../bench/support/install.ts';
import { packageRoot } from '../../src/paths.ts';
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts';
import { encryptionKey, importFrom } from '../support/import-polis.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, toTestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Databases that `@boxyhq/saml-jackson` itself has filled. */

let receiver: Receiver;
beforeAll(async () => {
  installPolis();
  receiver = await startReceiver();
});
afterAll(async () => receiver?.close());

interface Shown {
  // oxlint-disable-next-line typescript/no-explicit-any
  directory: any;
  users: { id: string; raw: Record<string, unknown>; [name: string]: unknown }[];
  groups: { id: string; name: string; raw: object }[];
  memberships: [groupId: string, userId: string][];
  /** That of the first directory's tenant and product. */
  setupLink: { url: string; [name: string]: unknown };
}

async function fill(url: string, env: Record<string, string> = {}): Promise<Shown[]> {
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [join(packageRoot, 'bench/polis/fill-database.mjs')], {
    env: { PATH, DATABASE_URL: url, WEBHOOK_URL: receiver.url, ...env },
    maxBuffer: 16_777_216,
  });
  return JSON.parse(stdout) as Shown[];
}

const byId = <Item extends { id: string }>(items: Item[]) => [...items].sort((a, b) => a.id.localeCompare(b.id));

it.each([
  ['plain', undefined],
  ['encrypted', 'exactly-32-characters-are-a-key!'],
])('shows after the import of a database that is %s what Polis showed', async (_form, key) => {
  const [source, target] = [await createEmptyDatabase(), await cloneDatabase()];
  const service = await startTestService({}, { encryptionKey, openDatabase: () => Promise.resolve(target) });
  try {
    const polis = await fill(source.url, key === undefined ? {} : { DB_ENCRYPTION_KEY: key });
    const { code, stderr, report } = await importFrom(source.url, target.url, key === undefined ? [] : ['--source-encryption-key', key]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Imported 3 directories, 4 users, 2 groups and 4 memberships')]);
    for (const { checksums } of report!.directories) expect(checksums!.target).toEqual(checksums!.source);
    // Polis keeps the membership of the deleted user.
    expect(report!.totals).toMatchObject({ orphans: 1, memberships: { read: 5, imported: 4, skipped: 1 } });
    for (const { directory, users, groups, memberships } of polis) {
      const { id } = directory;
      const read = async (path: string) => (await service.api('GET', `/api/v1/dsync${path}`)).body.data;
      const { google_authorization_url: _url, ...settings } = directory;
      const { endpoint: _endpoint, ...scim } = settings.scim;
      expect(await read(`/${id}`)).toMatchObject({ ...settings, scim, deactivated: directory.deactivated ?? false });
      const itsUsers = await read(`/users?directoryId=${id}`);
      const expected = users.map(({ directoryId: _directoryId, active, raw, roles: _roles, ...user }) => ({
        ...user,
        active: active !== 'False' && active,
        raw,
      }));
      expect(byId(itsUsers)).toMatchObject(byId(expected));
      expect(byId(itsUsers.map(({ id: userId, raw }: Shown['users'][number]) => ({ id: userId, raw })))).toEqual(
        byId(users.map(({ id: userId, raw }) => ({ id: userId, raw }))),
      );
      const itsGroups: Shown['groups'] = await read(`/groups?directoryId=${id}`);
      expect(byId(itsGroups)).toMatchObject(byId(groups));
      expect(byId(itsGroups).map(({ raw }) => raw)).toEqual(byId(groups).map(({ raw }) => raw));
      for (const group of groups) {
        const kept = memberships.filter(([groupId, userId]) => groupId === group.id && users.some((user) => user.id === userId));
        const members: { user_id: string }[] = await read(`/groups/${group.id}/members?directoryId=${id}`);
        expect(members.map(({ user_id: userId }) => userId).sort()).toEqual(kept.map(([, userId]) => userId).sort());
      }
    }

    const [{ directory, users, setupLink }] = polis as [Shown];
    const { data: importedLink } = (await service.api('GET', '/api/v1/dsync/setuplinks?tenant=acme&product=crm')).body;
    expect(importedLink).toMatchObject({ ...setupLink, url: setupLink.url.replace('http://127.0.0.1:5225', service.baseUrl) });

    receiver.received.length = 0;
    const provider = toTestDirectory(service.baseUrl, directory);
    const patched = await provider.scim('PATCH', `/Users/${users[0]!.id}`, {
      Operations: [{ op: 'replace', path: 'title', value: 'Dr' }],
    });
    expect(patched.status).toBe(200);
    await until(() => receiver.received.length === 1);
    expect(receiver.received[0]!.event).toMatchObject({
      event: 'user.updated',
      data: { id: users[0]!.id, email: users[0]!['email'], raw: { title: 'Dr' } },
    });
  } finally {
    await service.stop();
    await source.drop();
  }
});

it('delivers the events in the queue of Polis once, before new ones', async () => {
  const [source, target] = [await createEmptyDatabase(), await cloneDatabase()];
  const service = await startTestService({}, { encryptionKey, openDatabase: () => Promise.resolve(target) });
  try {
    receiver.received.length = 0;
    const [{ directory }] = (await fill(source.url, { QUEUES_EVENTS: '1' })) as [Shown];
    expect((await importFrom(source.url, target.url)).stderr).toMatch(/Polis has \d+ undelivered events in its queue/);
    const { code, report } = await importFrom(source.url, target.url, ['--deliver-queued']);
    expect(code).toBe(0);
    const queued = report!.directories.find(({ id }) => id === directory.id)!.queued_events;
    expect(queued).toBeGreaterThan(10);
    await importFrom(source.url, target.url, ['--deliver-queued']);
    const provider = toTestDirectory(service.baseUrl, directory);
    expect((await provider.scim('POST', '/Users', { userName: 'new@example.com' })).status).toBe(201);
    await until(() => receiver.received.length === queued + 1, { timeoutMs: 90_000 });
    expect(receiver.received.map(({ event }) => event.sequence)).toEqual(Array.from({ length: queued + 1 }, (_, index) => index + 1));
    expect(receiver.received[0]!.event).toMatchObject({ event: 'user.created', data: { raw: { userName: 'ada' } } });
    expect(receiver.received[queued]!.event).toMatchObject({ event: 'user.created', data: { email: 'new@example.com' } });
  } finally {
    await service.stop();
    await source.drop();
  }
});
