import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { ImportedUser, SourceDirectory } from '../../../src/directory/import/ports.ts';
import { toImportedGroup, toImportedUser } from '../../../src/directory/import/to-resources.ts';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { emitQueued } from '../../../src/store/imports/emit-differences.ts';
import {
  createStaging,
  dropOrphans,
  readStaged,
  readStored,
  resolveConflicts,
  stageGroups,
  stageMemberships,
  stageQueued,
  stageUsers,
} from '../../../src/store/imports/staging.ts';
import { writeSetupLinks } from '../../../src/store/imports/write-setup-links.ts';
import { recount, writeStaged } from '../../../src/store/imports/write-staged.ts';
import { expectStatements, findUnusedFiles } from './record-statements.ts';
import { applyChanges, createGroup, createUser, useDirectory } from './directory.ts';

/** As in statements.test.ts: statements that are assembled from parts, printed whole. */
let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));

const mapping = { provider: undefined, onIncomplete: () => undefined };
const times = { createdAt: new Date(0), modifiedAt: new Date(0) };
const user = (id: string, email: string): ImportedUser =>
  toImportedUser({ ...times, id, email, firstName: 'Ada', lastName: 'Lovelace', active: true, raw: { userName: email } }, mapping);

async function* page<Item>(...items: Item[]) {
  yield items;
}

it.each([
  ['import', false],
  ['import-of-changed-rows', true],
])('prints the statements of %s', async (name, isPartial) => {
  const [ada, ben, team] = [newId(), newId(), newId()];
  await applyChanges({ db, directoryId }, [createUser(ada, 'ada'), createUser(newId(), 'removed'), createGroup(team, 'Team', [ada])]);
  await db.transaction(async (trx) => {
    await createStaging(trx);
    const source = { id: directoryId, siblings: [directoryId], product: 'crm', type: 'okta-scim-v2' } as unknown as SourceDirectory;
    await stageUsers(trx, page(user(ada, 'changed@example.com'), user(ben, 'ben@example.com')), source);
    await stageGroups(trx, page(toImportedGroup({ ...times, id: team, name: 'Renamed', raw: {} }, mapping)));
    await stageMemberships(trx, page({ groupId: team, memberId: ben, checksum: 1n }));
    await stageQueued(trx, page({ id: newId(), type: 'user.created', data: {}, bytes: 2, occurredAt: times.createdAt }));
    await expectStatements(trx, name, async () => {
      await dropOrphans(trx, source, isPartial);
      if (!isPartial) {
        await resolveConflicts(trx, 'newest');
        await readStaged(trx);
        await emitQueued(trx, directoryId, null);
      }
      const { changed } = await writeStaged(trx, directoryId, {
        isPartial,
        isNewestFirst: false,
        announces: !isPartial,
        quotas: defaultQuotas,
        roleTable: isPartial ? undefined : toRoleTable({ groups: [{ groupName: 'Renamed', role: 'member' }], pushedRoles: 'include' }),
      });
      expect(changed).toEqual({ users: isPartial ? 2 : 3, groups: 1, memberships: isPartial ? 1 : 2 });
      await recount(trx, directoryId);
      await readStored(trx, directoryId);
    });
  });
});

it('prints the statements of setup links', async () => {
  const link = {
    tenant: 'acme',
    product: 'app',
    name: undefined,
    token: 'ab'.repeat(24),
    webhookUrl: 'https://app.example/hooks',
    webhookSecret: 'secret',
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 86_400_000),
  };
  const secrets = createSecretColumns(createKeyring([randomBytes(32)]));
  await db.transaction(async (trx) => {
    await expectStatements(trx, 'import-setup-links', async () => {
      const write = (links: (typeof link)[]) =>
        writeSetupLinks(trx, secrets, { source: 'polis', links, missing: { present: links, within: { product: 'app' } }, isDryRun: false });
      expect(await write([link])).toMatchObject({ imported: 1, revoked: 0 });
      expect(await write([])).toMatchObject({ imported: 0, revoked: 1 });
    });
  });
});

it('compares every file of the imports', () => {
  expect(findUnusedFiles('imports')).toEqual([]);
});
