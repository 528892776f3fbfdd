import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKeyring } from '../../src/keyring.ts';
import { createSecretColumns } from '../../src/store/encryption/secret-columns.ts';
import { runRollcall, startRollcallCommand } from '../cli/run-rollcall.ts';
import { cloneDatabase } from '../support/database.ts';
import { createSeededRandom } from '../support/seed.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2);
const random = createSeededRandom();
const secretsOfOne = 3_000;
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const [sealOld, sealNew] = [oldKey, newKey].map((key) => createSecretColumns(createKeyring([key])));

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let folder: TemporaryFolder;
beforeAll(async () => {
  [database, folder] = await Promise.all([cloneDatabase(), temporaryFolder()]);
});
afterAll(async () => {
  await database?.drop();
  await folder?.[Symbol.asyncDispose]();
});

it(
  'a rewrap that is killed halfway is finished by the next one, and does not undo changes that are made meanwhile',
  async () => {
    const { db } = database;
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: [newKey, oldKey].map((key) => key.toString('base64')).join(','),
    };
    const command = ['keys', 'rewrap', '--without-temporal', '--json'];
    for (let round = 1; round <= rounds; round += 1) {
      const directoryId = randomUUID();
      await db('all_directories').insert({ id: directoryId, tenant: 'acme', product: 'app', name: '', type: 'generic-scim-v2' });
      const expected = new Map(Array.from({ length: secretsOfOne }, (_, number) => [randomUUID(), `secret ${number}`]));
      const rows = [...expected].map(([id, secret]) => ({
        id,
        directory_id: directoryId,
        secret: sealOld!.seal(directoryId, 'scim_secret', secret),
      }));
      await db.batchInsert('scim_secrets', rows, 500);
      const countOld = async () => {
        const { rows: found } = await db.raw<{ rows: { count: number }[] }>(
          `select count(*) as count from scim_secrets where directory_id = ? and left(secret, 6) = left(?, 6)`,
          [directoryId, rows[0]!.secret],
        );
        return found[0]!.count;
      };

      // A locked row is skipped and tried again for seconds, so the command is still running when it is killed.
      const holder = await db.transaction();
      await holder('scim_secrets')
        .where({ id: rows.at(-1)!.id })
        .forUpdate()
        .first();
      const killed = startRollcallCommand(command, { env, folder: folder.path });
      let isChanging = true;
      const changing = (async () => {
        for (const [id] of expected) {
          if (!isChanging) return;
          const secret = `changed ${id}`;
          await db('scim_secrets')
            .where({ id })
            .update({ secret: sealNew!.seal(directoryId, 'scim_secret', secret) });
          expected.set(id, secret);
        }
      })();
      const atMost = secretsOfOne / 2 + random.below(secretsOfOne / 2);
      await until(async () => (await countOld()) < atMost, { everyMs: 1 });
      killed.signal('SIGKILL');
      expect((await killed.ended).code).toBe(null);
      await holder.rollback();

      const finished = await runRollcall(command, { env, folder: folder.path });
      isChanging = false;
      await changing;
      expect([finished.code, finished.stderr]).toEqual([0, expect.stringContaining('is unused. Remove it')]);
      const stored = await db('scim_secrets').where({ directory_id: directoryId }).select<{ id: string; secret: string }[]>('id', 'secret');
      expect(new Map(stored.map(({ id, secret }) => [id, sealNew!.open(directoryId, 'scim_secret', secret)]))).toEqual(expected);
      expect(await db('encryption_keys').pluck('id')).toEqual([createKeyring([newKey]).keyIds[0]]);
    }
  },
  60_000 + rounds * 60_000,
);

it('a value that no key decrypts is kept, counted and named, and its key is not reported as unused', async () => {
  const { db } = database;
  const [directoryId, id] = [randomUUID(), randomUUID()];
  await db('all_directories').insert({ id: directoryId, tenant: 'acme', product: 'app', name: '', type: 'generic-scim-v2' });
  const misplaced = sealOld!.seal(randomUUID(), 'scim_secret', 'of another directory');
  await db('scim_secrets').insert({ id, directory_id: directoryId, secret: misplaced });
  const ended = await runRollcall(['keys', 'rewrap', '--without-temporal'], {
    env: { DATABASE_URL: database.url, ENCRYPTION_KEYS: [newKey, oldKey].map((key) => key.toString('base64')).join(',') },
    folder: folder.path,
  });
  expect([ended.code, ended.stderr]).toEqual([6, expect.stringContaining('SCIM secrets: 1')]);
  expect(await db('scim_secrets').where({ id }).pluck('secret')).toEqual([misplaced]);
});
