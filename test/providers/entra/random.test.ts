import { expect, it } from '@jest/globals';
import { createEntraDirectory } from '../../support/entra/entra-directory.ts';
import type { FakeEntra } from '../../support/entra/fake-entra.ts';
import { useEntraSyncService } from '../../support/entra/entra-service.ts';
import { createSeededRandom } from '../../support/seed.ts';
import type { DirectService } from '../../support/direct-service.ts';

let entra: FakeEntra;
let service: DirectService;
// Random changes may remove most of a small tenant.
useEntraSyncService((started) => ({ entra, service } = started), { DSYNC_REMOVAL_PERCENT: '100' });

const [rounds, changesPerRound] = [12, 8];

it('has the same data as the provider after random changes, replays and failures', async () => {
  const { below } = createSeededRandom();
  const pick = <Item>(items: Item[]): Item | undefined => items[below(items.length)];
  const deleted = { users: new Set<string>(), groups: new Set<string>() };
  for (let count = 0; count < 10; count += 1) entra.addUser();
  for (let count = 0; count < 4; count += 1) entra.addGroup();
  const directory = await createEntraDirectory(service, entra);
  expect((await directory.sync()).state).toBe('succeeded');
  await directory.expectSame();

  const users = () => [...entra.users.keys()];
  const groups = () => [...entra.groups.keys()];
  const changes: (() => void)[] = [
    () => void entra.addUser(),
    () => entra.changeUser(pick(users())!, { displayName: `name ${below(1_000)}`, accountEnabled: below(2) === 0 }),
    () => {
      const [one, other] = [pick(users())!, pick(users())!];
      const names = [one, other].map((id) => entra.users.get(id)!.userPrincipalName);
      entra.changeUser(one, { userPrincipalName: names[1] });
      entra.changeUser(other, { userPrincipalName: names[0] });
    },
    () => {
      const id = pick(users())!;
      if (users().length < 4) return;
      entra.removeUser(id);
      deleted.users.add(id);
    },
    () => {
      const id = pick([...deleted.users]);
      if (id === undefined || !deleted.users.delete(id)) return;
      entra.restoreUser(id);
    },
    () => void entra.addGroup(),
    () => entra.changeGroup(pick(groups())!, { displayName: `group ${below(1_000)}` }),
    () => {
      const id = pick(groups())!;
      if (groups().length < 3) return;
      entra.removeGroup(id);
      deleted.groups.add(id);
    },
    () => {
      const id = pick([...deleted.groups]);
      if (id !== undefined && deleted.groups.delete(id)) entra.restoreGroup(id);
    },
    ...Array.from({ length: 6 }, () => () => {
      const group = pick(groups())!;
      const member = pick([...users(), ...users(), ...groups()])!;
      if (member !== group) entra.addMember(group, member);
    }),
    ...Array.from({ length: 3 }, () => () => {
      const group = pick(groups())!;
      const member = pick([...entra.members.get(group)!]);
      if (member !== undefined) entra.removeMember(group, member);
    }),
  ];
  const isAny = () => below(5) === 0;
  const faults = [
    () => entra.fail(isAny, 'drop'),
    () => entra.fail(isAny, 'cut'),
    () => entra.fail(isAny, { status: 429, body: {}, headers: { 'retry-after': '0' } }),
    () => entra.fail(isAny, { status: 503, body: {} }),
    () => entra.fail(isAny, { status: 401, body: {} }),
    () => entra.fail(({ path }) => path.endsWith('/delta'), { status: 410, body: {} }),
    // Fails the run.
    () => entra.fail(({ path }) => path.endsWith('/delta'), { status: 200, body: {} }),
    () => undefined,
  ];
  for (let round = 0; round < rounds; round += 1) {
    Object.assign(entra.odd, { pageSize: 1 + below(6), emptyPages: below(2) === 0, replays: below(2) === 0 });
    for (let count = 0; count < changesPerRound; count += 1) pick(changes)!();
    pick(faults)!();
    const run = await directory.sync();
    entra.heal();
    expect(run.error?.code ?? 'invalid_provider_response').toBe('invalid_provider_response');
    if (run.state === 'succeeded') await directory.expectSame();
  }
  expect((await directory.sync()).state).toBe('succeeded');
  await directory.expectSame();
}, 240_000);
