import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { changed, createPulledDirectory, googleEnv, hold, type PulledDirectory } from '../support/pulled-directories.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 240_000;
const [userCount, memberCount] = [1_200, 250];

let google: FakeGoogle;
let installation: Installation;
let connection: Connection;
beforeEach(async () => {
  google = await startFakeGoogle();
  [installation, connection] = await Promise.all([
    createInstallation({ env: googleEnv(google) }),
    Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! }),
  ]);
});
afterEach(async () => {
  await connection.close();
  await installation.remove();
  await google.stop();
});

const isLater = ({ query }: { query: URLSearchParams }) => query.has('pageToken');

/** Waits until the progress of the current step has reached Temporal. */
async function untilHeartbeat({ id }: PulledDirectory) {
  const client = new Client({ connection, namespace: installation.env['TEMPORAL_NAMESPACE']! });
  await until(async () => {
    const { raw } = await client.workflow.getHandle(`sync:${id}`).describe();
    return (raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.length ?? 0) > 0;
  });
}

/** Locks the last user, so that the batch that changes it waits halfway. */
async function lockLastUser({ id }: PulledDirectory) {
  const holder = await installation.db.transaction();
  await holder('users').where({ directory_id: id }).orderBy('external_id', 'desc').limit(1).forUpdate();
  return async () => {
    // Postgres may not have noticed that the process is gone, and would still commit it.
    const waiting = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await installation.db.raw(`select pg_terminate_backend(pid) from ${waiting}`);
    await until(async () => (await installation.db.raw(`select from ${waiting}`)).rows.length === 0);
    await holder.rollback();
  };
}

it.each(everyRound)(
  'resumes after its process is killed while it reads users, reads members and applies changes, and emits each change once (round %i)',
  async () => {
    await using first = await installation.start();
    for (let count = 0; count < userCount; count += 1) google.addUser();
    const team = google.addGroup();
    for (const id of [...google.users.keys()].slice(0, memberCount)) google.addMember(team.id, { id, type: 'USER' });
    const [amongUsers, amongMembers, applying] = await Promise.all([1, 2, 3].map(() => createPulledDirectory(installation, google)));
    await applying!.sync();
    expect(await applying!.countNewEvents()).toEqual({ 'user.created': userCount, 'group.created': 1, 'group.user_added': memberCount });

    for (const id of google.users.keys())
      google.changeUser(id, { name: { givenName: 'Changed', familyName: id, fullName: `Changed ${id}` } });
    const holds = [
      hold(google, (request) => amongUsers!.isRequestFor('users')(request) && isLater(request)),
      hold(google, (request) => amongMembers!.isRequestFor('members')(request) && isLater(request)),
    ];
    const unlock = await lockLastUser(applying!);
    const directories = [amongUsers!, amongMembers!, applying!];
    const runs = await Promise.all(directories.map((directory) => directory.begin()));
    await Promise.all(holds.map(({ reached }) => reached()));
    await applying!.untilRun(runs[2]!, (run) => run.changed.users.updated === 1_000);
    await Promise.all([amongUsers!, amongMembers!].map(untilHeartbeat));
    expect(await first.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    for (const { release } of holds) release();
    await unlock();

    const kept = await installation
      .db('sync_runs')
      .whereIn('id', runs)
      .select('id', 'state', 'users_seen', 'groups_seen', 'members_seen', 'users_updated');
    expect(runs.map((runId) => kept.find(({ id }) => id === runId))).toMatchObject([
      { state: 'running', users_seen: 500, groups_seen: 0, members_seen: 0 },
      { state: 'running', users_seen: userCount, groups_seen: 1, members_seen: 200 },
      { state: 'running', users_updated: 1_000 },
    ]);

    await using second = await installation.start();
    const ended = await Promise.all(directories.map((directory, index) => directory.untilEnded(runs[index]!)));
    const everything = changed({ users: [userCount, 0, 0], groups: [1, 0, 0], members: [memberCount, 0] });
    expect(ended.map(({ state, changed: made, failed }) => [state, made, failed])).toEqual([
      ['succeeded', everything, 0],
      ['succeeded', everything, 0],
      ['succeeded', changed({ users: [0, userCount, 0] }), 0],
    ]);
    for (const directory of [amongUsers!, amongMembers!]) {
      const events = await directory.newEvents();
      const emitted = events.map(({ event, data }) => `${event} ${data.raw.externalId}`);
      expect([emitted.length, new Set(emitted).size]).toEqual([userCount + 1 + memberCount, userCount + 1 + memberCount]);
    }
    const updates = await applying!.newEvents();
    expect(new Set(updates.map(({ event, data }) => `${event} ${data.raw.externalId} ${data.first_name}`))).toEqual(
      new Set([...google.users.keys()].map((id) => `user.updated ${id} Changed`)),
    );
    expect(updates).toHaveLength(userCount);
    // They resume at their recorded progress.
    const firstPages = (directory: PulledDirectory, kind: 'users' | 'members') =>
      google.requests.filter((request) => directory.isRequestFor(kind)(request) && !isLater(request)).length;
    expect([firstPages(amongUsers!, 'users'), firstPages(amongMembers!, 'users'), firstPages(amongMembers!, 'members')]).toEqual([1, 1, 1]);
    await second.kill();
  },
  testTimeoutMs,
);
