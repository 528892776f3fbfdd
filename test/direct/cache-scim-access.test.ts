import { expect, it } from '@jest/globals';
import { cacheScimAccess } from '../../src/direct/cache-scim-access.ts';

type Given = Parameters<typeof cacheScimAccess>[0];

function remember() {
  const world = { now: 0, reads: 0, secret: 'one', hold: Promise.resolve() };
  const directoryStore = {
    async getScimAccess(directoryId: string) {
      world.reads += 1;
      const { secret } = world;
      await world.hold;
      return directoryId === 'nobody' ? undefined : { directoryId, deactivated: false, secrets: [{ id: 's', secret, isUseNoted: false }] };
    },
    update: () => Promise.resolve(undefined),
    remove: () => Promise.resolve(true),
  };
  const scimSecretStore = { rotate: () => Promise.resolve({ previousValidUntil: undefined }) };
  const stores = cacheScimAccess({ directoryStore, scimSecretStore } as unknown as Given, {
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
