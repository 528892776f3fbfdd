import { expect, it } from '@jest/globals';
import type { DirectoryMapping } from '../../../src/directory/attributes/ports.ts';
import { createPreviewMapping } from '../../../src/directory/attributes/preview-mapping.ts';
import type { User } from '../../../src/directory/resources/user.ts';
import { newId } from '../../../src/ids.ts';
import { storedUser } from '../../support/decide.ts';

const directory: DirectoryMapping = {
  product: 'app',
  type: 'okta-scim-v2',
  hiding: undefined,
  schema: [{ name: 'job_title', type: 'string', multiValued: false, required: false }],
  mapping: {},
  users: 4_000,
  recompute: undefined,
};
const { signal } = new AbortController();
const inDirectory = (user: User) => ({ ...user, directoryId: newId(), groups: [] });

/** A directory that has this user very often. */
const endless = (user: User) =>
  createPreviewMapping({
    users: {
      listAcross: (_directories, { page }) =>
        Promise.resolve({
          resources: Array.from({ length: page.limit }, () => inDirectory(user)),
          next: { directoryId: newId(), id: user.id, at: 0 },
        }) as never,
    },
  });

it('looks at the newest 1,000 users, and says how many of all that would be', async () => {
  const preview = await endless(storedUser({ title: 'Engineer' }))(newId(), directory, { limit: 1, signal });
  expect(preview).toMatchObject({ checked: 1_000, changed: 1_000, estimated: 4_000, isPartial: true });
});

it('looks at fewer users if they take too much work, and says so', async () => {
  const costly = storedUser({ emails: Array.from({ length: 500 }, (_, index) => ({ value: `${index}@acme.example`, type: 'work' })) });
  const mapping = { job_title: { path: 'emails[type co "x" and value co "y"].value' } };
  const preview = await endless(costly)(newId(), { ...directory, mapping }, { limit: 1, signal });
  expect(preview.isPartial).toBe(true);
  expect(preview.checked).toBeLessThan(1_000);
});

it('counts no hidden user as one that would be told', async () => {
  const hiding = { after: '00000000-0000-0000-0000-000000000000', upto: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const user = { ...storedUser({ title: 'Engineer' }), active: false };
  expect((await endless(user)(newId(), { ...directory, hiding }, { limit: 1, signal })).changed).toBe(0);
});

it('runs one preview at a time, and lets a few of a directory wait', async () => {
  let running = 0;
  let most = 0;
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const preview = createPreviewMapping({
    users: {
      async listAcross() {
        running += 1;
        most = Math.max(most, running);
        await released;
        running -= 1;
        return { resources: [], next: undefined } as never;
      },
    },
  });
  const id = newId();
  const started = Array.from({ length: 7 }, () => preview(id, { ...directory, users: 0 }, { limit: 1, signal }));
  await expect(started[6]).rejects.toMatchObject({ code: 'rate_limited' });
  release();
  expect(await Promise.all(started.slice(0, 6))).toHaveLength(6);
  expect(most).toBe(1);
});
