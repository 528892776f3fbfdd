import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDataFolder } from '../../src/embedded/data-folder.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createKeyring } from '../../src/keyring.ts';
import { cloneDatabase } from '../support/database.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { spawnRollcall } from '../support/process.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { checkEncryption, isEncrypted } from '../../src/store/encryption/keys-in-use.ts';

const testTimeoutMs = 120_000;

let folder: TemporaryFolder;
let installation: Installation;
beforeAll(async () => {
  [folder, installation] = await Promise.all([temporaryFolder(), createInstallation({ env: { LOG_LEVEL: 'warn' } })]);
});
afterAll(async () => {
  await installation?.remove();
  await folder?.[Symbol.asyncDispose]();
});

async function readStartupError(command: string[], env: Record<string, string>): Promise<string> {
  const rejected = spawnRollcall({
    command,
    folder: folder.path,
    env: { LOG_LEVEL: 'warn', PORT: '0', ROLLCALL_DATA_DIR: folder.at('data'), ...env },
  });
  expect(await rejected.exited).toEqual({ code: 1, signal: null });
  expect(rejected.output()).not.toMatch(/^ +at /m);
  return rejected.output().trim();
}

it('reports an unknown command, and how to list the commands', async () => {
  const rejected = spawnRollcall({ command: ['frobnicate'], folder: folder.path, env: {} });
  expect(await rejected.exited).toEqual({ code: 2, signal: null });
  expect(rejected.output()).toMatch(/^Unknown command: frobnicate\. Run `rollcall help` to list all commands\. Example: rollcall .+\n$/);
});

it('reports all problems of the configuration together, and no secret', async () => {
  const output = await readStartupError(['api'], { ...installation.env, PORT: '99999', ENCRYPTION_KEYS: 'c2VjcmV0', API_KEYS: '' });
  expect(output.split('\n')).toEqual([
    'Invalid configuration:',
    '  PORT must be a port number from 0 to 65535',
    '  ENCRYPTION_KEYS must be a comma-separated list of keys, each 32 random bytes in base64 (openssl rand -base64 32)',
    '  API_KEYS is required by `rollcall api`',
  ]);
});

it('rejects an API key of fewer than 32 characters, in API_KEYS or in the data folder', async () => {
  for (const command of ['start', 'api']) {
    const output = await readStartupError([command], { ...installation.env, API_KEYS: `${'a'.repeat(32)},${'b'.repeat(31)}` });
    expect(output).toMatch(/^Invalid configuration:\n {2}API_KEYS must be keys of at least 32 characters each; [^\n]+$/);
  }
  await openDataFolder(folder.at('short'));
  const file = folder.at('short', 'api-key');
  await writeFile(file, 'b'.repeat(31));
  expect(await readStartupError(['start'], { ROLLCALL_DATA_DIR: folder.at('short') })).toBe(
    `The key in ${file} has fewer than 32 characters: write a longer one into the file (openssl rand -hex 32 > ${file}).`,
  );
});

it('says what is wrong with TEMPORAL_BINARY', async () => {
  const [missing, plain] = [folder.at('missing'), folder.at('plain')];
  await writeFile(plain, '', { mode: 0o644 });
  expect(await readStartupError(['start'], { TEMPORAL_BINARY: missing })).toBe(
    `TEMPORAL_BINARY ${missing} is not a file: set it to the path of the temporal CLI, or unset it.`,
  );
  expect(await readStartupError(['start'], { TEMPORAL_BINARY: plain })).toBe(
    `TEMPORAL_BINARY ${plain} is not executable: run \`chmod +x\` on it, or unset TEMPORAL_BINARY.`,
  );
});

it(
  'rejects a data folder of another major version of Postgres',
  async () => {
    await openDataFolder(folder.at('old'));
    await mkdir(folder.at('old', 'postgres'));
    await writeFile(folder.at('old', 'postgres', 'PG_VERSION'), '15\n');
    expect(await readStartupError(['start'], { ROLLCALL_DATA_DIR: folder.at('old') })).toMatch(
      /^\S+ was created by Postgres 15, but this Rollcall includes Postgres \d+: dump it .* or set ROLLCALL_DATA_DIR to another folder\.$/,
    );
  },
  testTimeoutMs,
);

it(
  'creates no encryption key for a database whose secrets are encrypted with another one',
  async () => {
    const { db, url, drop } = await cloneDatabase();
    try {
      expect(await isEncrypted(url)).toBe(false);
      await checkEncryption(db, createKeyring([randomBytes(32)]));
      const [data, file] = [folder.at('keyless'), folder.at('keyless', 'encryption-key')];
      const env = { DATABASE_URL: url, TEMPORAL_ADDRESS: installation.env['TEMPORAL_ADDRESS']!, ROLLCALL_DATA_DIR: data };
      expect(await readStartupError(['start'], env)).toBe(
        `${file} is missing, and the secrets in the database at DATABASE_URL are already encrypted: restore the file from the backup of the data folder, or set ENCRYPTION_KEYS to its key.`,
      );
      expect(existsSync(file)).toBe(false);
    } finally {
      await drop();
    }
  },
  testTimeoutMs,
);

it(
  'creates no encryption key while the database does not respond',
  async () => {
    const env = {
      DATABASE_URL: `postgres://rollcall:hidden@127.0.0.1:${await findFreePort()}/rollcall`,
      ROLLCALL_DATA_DIR: folder.at('away'),
    };
    expect(await readStartupError(['start'], { ...env, TEMPORAL_ADDRESS: installation.env['TEMPORAL_ADDRESS']! })).toBe(
      'The Postgres at DATABASE_URL does not respond: start it, or correct DATABASE_URL.',
    );
    expect(existsSync(folder.at('away', 'encryption-key'))).toBe(false);
  },
  testTimeoutMs,
);

it.each(['api', 'worker', 'migrate'])(
  'reports at `%s` that the database does not respond, without its password',
  async (command) => {
    const port = await findFreePort();
    const output = await readStartupError([command], {
      ...installation.env,
      DATABASE_URL: `postgres://rollcall:hidden@127.0.0.1:${port}/rollcall`,
    });
    expect(output).toBe('The Postgres at DATABASE_URL does not respond: start it, or correct DATABASE_URL.');
  },
  testTimeoutMs,
);

it.each(['api', 'worker', 'migrate'])(
  'rejects at `%s` a schema of a newer version',
  async (command) => {
    await installation.db('knex_migrations').insert({ name: '999_future', batch: 9, migration_time: new Date() });
    try {
      expect(await readStartupError([command], installation.env)).toBe(
        'The database was migrated by a newer version of Rollcall (999_future): run that version or a later one.',
      );
    } finally {
      await installation.db('knex_migrations').where({ name: '999_future' }).delete();
    }
  },
  testTimeoutMs,
);
