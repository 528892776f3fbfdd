import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createEntraDirectory } from '../support/entra/entra-directory.ts';
import { startFakeEntra, type EntraRequest, type FakeEntra } from '../support/entra/fake-entra.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { changed } from '../support/pulled-directories.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 240_000;

let entra: FakeEntra;
let installation: Installation;
beforeEach(async () => {
  entra = await startFakeEntra();
  entra.odd.pageSize = 5;
  installation = await createInstallation({ env: entra.env() });
});
afterEach(async () => {
  await installation.remove();
  await entra.stop();
});

const isOf = (path: string, what: string) => (request: EntraRequest) => request.path === path && [...request.query.keys()].includes(what);
const phases: [name: string, match: (request: EntraRequest) => boolean, isLater: boolean][] = [
  ['the first page of users', ({ path }) => path === '/v1.0/users/delta', false],
  ['a later page of users', isOf('/v1.0/users/delta', '$skiptoken'), false],
  ['a later page of groups', isOf('/v1.0/groups/delta', '$skiptoken'), false],
  ['members', ({ path }) => path.endsWith('/members'), false],
  ['changed users', isOf('/v1.0/users/delta', '$deltatoken'), true],
  ['changed objects', ({ path }) => path === '/v1.0/$batch', true],
  ['changed groups', isOf('/v1.0/groups/delta', '$deltatoken'), true],
  ['members of a changed group', ({ path }) => path.endsWith('/members'), true],
];

/** Each request that matches waits until it is released. */
function hold(match: (request: EntraRequest) => boolean) {
  let isOpen = false;
  let count = 0;
  const end = entra.before(match, () => {
    count += 1;
    return until(() => isOpen, { timeoutMs: 180_000 });
  });
  return {
    reached: () => until(() => count > 0, { timeoutMs: 60_000 }),
    release() {
      end();
      isOpen = true;
    },
  };
}

it.each(everyRound.flatMap((round) => phases.map(([name, match, isLater]) => ({ round, name, match, isLater }))))(
  'emits each change once if its process is killed while it reads $name (round $round)',
  async ({ match, isLater }) => {
    await using first = await installation.start();
    const users = Array.from({ length: 12 }, () => entra.addUser());
    const groups = Array.from({ length: 7 }, () => entra.addGroup());
    for (const [index, { id }] of users.entries()) entra.addMember(groups[index % 3]!.id, id);
    const directory = await createEntraDirectory(installation, entra);
    if (isLater) {
      await directory.sync();
      await directory.expectSame();
      entra.changeUser(users[0]!.id, { displayName: 'Changed' });
      entra.removeUser(users[1]!.id);
      entra.addMember(groups[5]!.id, users[2]!.id);
    }
    const holding = hold(match);
    const runId = await directory.begin();
    await holding.reached();
    expect(await first.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    holding.release();

    await using second = await installation.start();
    const run = await directory.untilEnded(runId);
    expect([run.state, run.failed, run.drift]).toEqual(['succeeded', 0, null]);
    const events = await directory.expectSame();
    expect(events).toEqual(isLater ? ['group.user_added', 'group.user_removed', 'user.deleted', 'user.updated'] : events);
    expect(events).toHaveLength(isLater ? 4 : 12 + 7 + 12);
    expect((await directory.sync()).changed).toEqual(changed());
    expect(await directory.expectSame()).toEqual([]);
    await second.kill();
  },
  testTimeoutMs,
);
