import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { importFrom, targetEnv } from '../support/import-polis.ts';
import { createPolisTables, usePolisAndTarget } from '../support/polis-tables.ts';
import { dumpTables } from '../support/dump-tables.ts';
import { callRollcall } from '../cli/run-rollcall.ts';

const { polis, target } = usePolisAndTarget();
beforeAll(async () => {
  await importFrom(polis.url, target.url);
  const directory = await polis.addDirectory();
  await polis.addUser(directory);
});

/** An import is listed as a user of its keys. */
const dump = async () => (await dumpTables(target.db)).replaceAll(/^\{"process":.*\n/gm, '');

/** Returns the error message, and expects no other output. */
async function failWith(source: string, options: string[] = []): Promise<string> {
  const before = await dump();
  const { code, stderr } = await importFrom(source, target.url, options);
  expect(code).toBeGreaterThan(0);
  expect(await dump()).toEqual(before);
  return stderr.trim();
}

it('reports what is wrong with the source', async () => {
  expect(await failWith(target.url)).toBe(
    'The database at --source is not one of Polis: it has no table jackson_store that the user can read. Pass the address that Polis has in DB_URL. Nothing was written.',
  );
  expect(await failWith('postgres://127.0.0.1:1/polis')).toBe(
    'The Postgres at --source does not respond (ECONNREFUSED). Nothing was written.',
  );
  expect(await failWith(`${polis.url}_missing`)).toBe('The Postgres at --source has no such database. Nothing was written.');
  expect(await failWith('mysql://polis')).toContain(
    '--source must be a URL such as postgres://user:password@host/polis or https://polis.example.',
  );
  expect(await failWith(polis.url, ['--source-encryption-key', 'short'])).toBe(
    "--source-encryption-key must be the value of Polis' DB_ENCRYPTION_KEY: 32 characters, or 32 bytes in base64.",
  );
  expect(await failWith('https://user:password@polis.example')).toContain('--source must have no user and no password');
  expect(await failWith('https://polis.example')).toContain('--source-api-key is required if --source is the URL of Polis.');
  expect(await failWith('https://polis.example', ['--source-api-key', 'key'])).toContain('--product is required');
});

it('reports that the user at the source may not read the tables', async () => {
  const name = `reader_${randomBytes(6).toString('hex')}`;
  await polis.db.raw(`create role ?? login password 'test'`, [name]);
  await polis.db.raw('grant insert on jackson_store, jackson_index to ??', [name]);
  try {
    const url = new URL(polis.url);
    [url.username, url.password] = [name, 'test'];
    expect(await failWith(url.href)).toBe(
      'The Postgres at --source rejects a query (42501): grant its user SELECT on the tables of Polis. Nothing more was written.',
    );
  } finally {
    await polis.db.raw('drop owned by ??', [name]);
    await polis.db.raw('drop role ??', [name]);
  }
});

it('reports that the key is missing or wrong', async () => {
  const sealed = await createPolisTables();
  try {
    await sealed.addDirectory({}, { key: randomBytes(32) });
    expect(await failWith(sealed.url)).toBe(
      "The rows at --source are encrypted: pass the value of Polis' DB_ENCRYPTION_KEY as --source-encryption-key. Nothing was written.",
    );
    expect(await failWith(sealed.url, ['--source-encryption-key', randomBytes(32).toString('base64')])).toBe(
      "--source-encryption-key does not decrypt the rows at --source: pass the value of Polis' DB_ENCRYPTION_KEY. Nothing was written.",
    );
  } finally {
    await sealed.drop();
  }
});

it('rejects a Polis that is too new', async () => {
  await polis.db.raw('alter table jackson_store add column version integer');
  expect(await failWith(polis.url)).toContain('belongs to a newer Polis than 26.2');
  await polis.db.raw('alter table jackson_store drop column version');
  await polis.db.raw(`create table _jackson_migrations (id serial, "timestamp" bigint, name text)`);
  await polis.db.raw(`insert into _jackson_migrations ("timestamp", name) values (1714452929542, 'known')`);
  expect((await importFrom(polis.url, target.url, ['--dry-run'])).code).toBe(0);
  await polis.db.raw(`insert into _jackson_migrations ("timestamp", name) values (1999999999999, 'fromTheFuture')`);
  expect(await failWith(polis.url)).toContain('(migration fromTheFuture)');
  await polis.db.raw('drop table _jackson_migrations');
});

it('rejects a queue of undelivered events', async () => {
  const directory = await polis.addDirectory({ tenant: 'queued' });
  await polis.addEvent(directory, 'user.created', {});
  expect(await failWith(polis.url, ['--tenant', 'queued'])).toBe(
    'Polis has 1 undelivered event in its queue: let it deliver them, or stop it and pass --deliver-queued so that Rollcall delivers them. Nothing was written.',
  );
});

it('rejects a directory that exists in Rollcall and was not imported', async () => {
  const directory = await polis.addDirectory({ tenant: 'foreign' });
  await target.db('all_directories').insert({ id: directory.id, tenant: 'acme', product: 'other', name: '', type: 'okta-scim-v2' });
  expect(await failWith(polis.url, ['--tenant', 'foreign'])).toBe(
    `The directory ${directory.id} exists in Rollcall and was not imported from Polis: delete it, or leave it out with --tenant and --product. Nothing was written.`,
  );
  await target.db('all_directories').where({ id: directory.id }).update({ deleting_at: target.db.fn.now() });
  expect(await failWith(polis.url, ['--tenant', 'foreign'])).toContain('is being deleted in Rollcall: try again in a few minutes.');
});

it('rejects options that cannot be used together, and a target that it cannot open', async () => {
  expect(await failWith(polis.url, ['--watch', '--dry-run'])).toContain('--watch');
  expect(await failWith('https://polis.example', ['--source-api-key', 'key', '--product', 'crm', '--watch'])).toContain(
    '--watch requires the Postgres of Polis as --source.',
  );
  const env = { ...targetEnv(target.url), ENCRYPTION_KEYS: randomBytes(32).toString('base64') };
  const { code, stderr } = await callRollcall(['import', 'polis', '--source', polis.url], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('were encrypted with another key')]);
});
