import { expect, it } from '@jest/globals';
import { cacheScimAccess } from '../../src/direct/cache-scim-access.ts';

type Given = Parameters<typeof cacheScimAccess>[0];

const nothing = () => Promise.resolve(undefined);

function remember() {
  const world = { now: 0, reads: 0, secret: 'one', hold: Promise.resolve() };
  const directoryStore = {
    async getScimAccess(directoryId: string) {
      world.reads += 1;
      const { secret } = world;
      await world.hold;
      if (directoryId === 'nobody') return undefined;
      return { directoryId, deactivated: false, isFresh: true, secrets: [{ id: 's', secret, isUseNoted: false }], tokens: [] };
    },
    update: () => Promise.resolve(undefined),
    remove: () => Promise.resolve(true),
  };
  const scimSecretStore = { rotate: () => Promise.resolve({ previousValidUntil: undefined }) };
  const scimClientStore = { update: nothing, revoke: nothing, revokeTokens: nothing };
  const stores = cacheScimAccess({ directoryStore, scimSecretStore, scimClientStore } as unknown as Given, {
    forMs: 1_000,
    maxDirectories: 2,
    now: () => world.now,
  });
  const secretOf = async (id: string) => (await stores.directoryStore.getScimAccess(id))?.secrets[0];
  return { world, stores, secretOf };
}

it('reads again after a second, and notes the use of a secret once', async () => {
  const { world, secretOf } = remember();
  expect(await secretOf('a')).toEqual({ id: 's', secret: 'one', isUseNoted: false });
  world.secret = 'two';
  world.now = 999;
  expect(await secretOf('a')).toEqual({ id: 's', secret: 'one', isUseNoted: true });
  world.now = 1_000;
  expect(await secretOf('a')).toEqual({ id: 's', secret: 'two', isUseNoted: false });
});

it.each([
  ['an update', (stores: Given) => stores.directoryStore.update('a', {})],
  ['a removal', (stores: Given) => stores.directoryStore.remove('a')],
  ['a rotation', (stores: Given) => stores.scimSecretStore.rotate('a', { secret: 'two', overlapMs: 0, expiresAt: undefined })],
  ['a change of an OAuth client', (stores: Given) => stores.scimClientStore.update('a', 'c', {}, new Date())],
  ['a revocation of an OAuth client', (stores: Given) => stores.scimClientStore.revoke('a', 'c')],
  ['a revocation of access tokens', (stores: Given) => stores.scimClientStore.revokeTokens('a', 'c')],
])('forgets immediately after %s', async (_what, change) => {
  const { world, stores, secretOf } = remember();
  await secretOf('a');
  world.secret = 'two';
  await change(stores);
  expect((await secretOf('a'))?.secret).toBe('two');
});

it('does not cache a read that started before a change and ended after it', async () => {
  const { world, stores, secretOf } = remember();
  let release!: () => void;
  world.hold = new Promise((resolve) => (release = resolve));
  const stale = secretOf('a');
  world.secret = 'two';
  await stores.directoryStore.update('a', {});
  release();
  expect((await stale)?.secret).toBe('one');
  expect((await secretOf('a'))?.secret).toBe('two');
});

it('reads an unknown directory each time, and caches no more than its maximum', async () => {
  const { world, secretOf } = remember();
  await secretOf('nobody');
  await secretOf('nobody');
  for (const id of ['a', 'b', 'c', 'a']) await secretOf(id);
  expect(world.reads).toBe(6);
});

it('reads again if it is asked to, and says whether it did', async () => {
  const { world, stores } = remember();
  const isFresh = async (options?: { isFresh: boolean }) => (await stores.directoryStore.getScimAccess('a', options))?.isFresh;
  expect([await isFresh(), await isFresh(), await isFresh({ isFresh: true }), await isFresh()]).toEqual([true, false, true, false]);
  expect(world.reads).toBe(2);
});
