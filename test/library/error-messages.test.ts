import { describe, expect, it } from '@jest/globals';
import type { JacksonOption } from '../../src/jackson/options.ts';
import { translateOptions } from '../../src/jackson/translate-options.ts';
import { rollcall, type RollcallOptions } from '../../src/library/index.ts';
import { startTestLibrary } from '../support/library.ts';

/** The errors of the library's options, and of those of Polis. What its calls return is what the JSON API and SCIM return. */

const messageOf = (attempt: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => 'It succeeded.',
      (error: Error) => `${error.name}: ${error.message}`,
    );

describe('the options of rollcall()', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const url = 'postgres://127.0.0.1:1/x';
  const right = { databaseUrl: url, encryptionKeys: [key], externalUrl: 'https://app.example' };
  it.each<[string, unknown, string]>([
    [
      'text instead of options',
      url,
      "StartupError: rollcall(): options must be an object, like rollcall({ databaseUrl: 'postgres://…' }).",
    ],
    [
      'another address',
      { ...right, databaseUrl: 'mysql://localhost/x' },
      'StartupError: Invalid configuration:\n  databaseUrl must be an address like postgres://user:password@host:5432/database',
    ],
    [
      'an unset variable',
      { ...right, databaseUrl: undefined },
      "StartupError: rollcall(): databaseUrl must be an address, like 'postgres://user:password@host:5432/database', not undefined.",
    ],
    [
      'a list of unset variables',
      { ...right, encryptionKeys: [undefined] },
      'StartupError: rollcall(): encryptionKeys must be a list of keys from `openssl rand -base64 32`, like [process.env.ENCRYPTION_KEY].',
    ],
    [
      'text instead of a list',
      { ...right, encryptionKeys: key },
      'StartupError: rollcall(): encryptionKeys must be a list of keys from `openssl rand -base64 32`, like [process.env.ENCRYPTION_KEY].',
    ],
    [
      'a number for a function',
      { ...right, onEvent: 5 },
      'StartupError: rollcall(): onEvent must be a function, like async (event) => { … }.',
    ],
    [
      'no keys',
      { databaseUrl: url },
      'StartupError: rollcall(): encryptionKeys is required with databaseUrl to encrypt secrets. Create one with `openssl rand -base64 32` and keep it, like encryptionKeys: [process.env.ENCRYPTION_KEY].',
    ],
    [
      'no address of its own',
      { databaseUrl: url, encryptionKeys: [key] },
      "StartupError: rollcall(): externalUrl is required with databaseUrl: SCIM addresses start with it, like externalUrl: 'https://app.example'.",
    ],
    ['a misspelled option', { databaseURL: 'x' }, 'StartupError: rollcall(): unknown option databaseURL. Did you mean databaseUrl?'],
    [
      'a misspelled option of Google',
      { ...right, google: { clientID: 'x' } },
      'StartupError: rollcall(): unknown google option clientID. Did you mean clientId?',
    ],
    [
      'a misspelled setting',
      { ...right, settings: { WEBHOOK_TIMOUT_MS: '1' } },
      'StartupError: rollcall(): unknown setting WEBHOOK_TIMOUT_MS. Did you mean WEBHOOK_TIMEOUT_MS?',
    ],
    [
      'an invalid setting',
      { ...right, settings: { WEBHOOK_TIMEOUT_MS: 'long' } },
      'StartupError: Invalid configuration:\n  WEBHOOK_TIMEOUT_MS must be a whole number above 0',
    ],
    [
      'a key that is too short',
      { ...right, encryptionKeys: ['c2hvcnQ='] },
      'StartupError: Invalid configuration:\n  encryptionKeys must be a comma-separated list of keys, each 32 random bytes in base64 (openssl rand -base64 32)',
    ],
    [
      'an address of its own that is none',
      { ...right, externalUrl: 'x' },
      'StartupError: Invalid configuration:\n  externalUrl must be an http(s) address',
    ],
    ['no server', right, 'StartupError: The Postgres at databaseUrl does not respond: start it, or correct databaseUrl.'],
  ])('are rejected with their message: %s', async (_what, options, message) => {
    expect(await messageOf(() => rollcall(options as RollcallOptions))).toBe(message);
  });
});

describe('the options of Polis', () => {
  const encryptionKey = 'k'.repeat(32);
  const url = 'postgres://host/db';
  const db = { engine: 'sql', type: 'postgres', url, encryptionKey } as const;
  it.each<[string, unknown, string]>([
    [
      'no database',
      { externalUrl: 'https://app.example' },
      "StartupError: db is required, for example db: { engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }.",
    ],
    [
      'another engine',
      { db: { ...db, engine: 'mongo' } },
      "StartupError: db.engine mongo is not supported: Rollcall requires Postgres, for example db: { engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }.",
    ],
    [
      'another database',
      { db: { ...db, type: 'mysql' } },
      "StartupError: db.type mysql is not supported: Rollcall requires Postgres, for example db: { engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }.",
    ],
    [
      'memory',
      { db: { engine: 'mem', encryptionKey } },
      "StartupError: db.engine mem is not supported: Rollcall requires Postgres, for example db: { engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }.",
    ],
    [
      'a driver',
      { db: { driver: {}, encryptionKey } },
      "StartupError: db.driver is not supported: Rollcall connects to Postgres itself, for example db: { engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }.",
    ],
    [
      'no address',
      { db: { encryptionKey } },
      "StartupError: db.url must be a Postgres address, for example db: { engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }.",
    ],
    [
      'an address of another kind',
      { db: { ...db, url: 'mysql://host/db' } },
      "StartupError: db.url must be a Postgres address, for example db: { engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }.",
    ],
    [
      'no key',
      { db: { url } },
      'StartupError: db.encryptionKey must have 32 characters (create one with `openssl rand -hex 16`): secrets are always stored encrypted.',
    ],
    [
      'a short key',
      { db: { ...db, encryptionKey: 'short' } },
      'StartupError: db.encryptionKey must have 32 characters (create one with `openssl rand -hex 16`): secrets are always stored encrypted.',
    ],
    [
      'a certificate',
      { db: { ...db, ssl: { ca: '…' } } },
      'StartupError: db.ssl.ca is not supported: set it in db.url, for example …/rollcall?sslmode=verify-full&sslrootcert=/etc/ca.pem.',
    ],
    [
      'another SCIM path',
      { db, scimPath: '/scim' },
      "StartupError: scimPath /scim is not supported: serve /api/scim/v2.0, and omit scimPath or set it to '/api/scim/v2.0'.",
    ],
    [
      'another callback path',
      { db, dsync: { providers: { google: { callbackPath: '/google' } } } },
      "StartupError: dsync.providers.google.callbackPath /google is not supported: serve /api/scim/oauth/callback, and omit dsync.providers.google.callbackPath or set it to '/api/scim/oauth/callback'.",
    ],
    ['a misspelled option', { db, extenalUrl: '' }, 'AppError: Unknown field extenalUrl. Did you mean externalUrl?'],
    [
      'a misspelled setting',
      { db: { ...db, encryptonKey: '' } },
      'AppError: Unknown field db.encryptonKey. Did you mean db.encryptionKey?',
    ],
  ])('are rejected with their message: %s', async (_what, options, message) => {
    expect(await messageOf(() => translateOptions(options as JacksonOption))).toBe(message);
  });
});

it('a call fails with a misspelled argument, with a body that is written as more than its limits, and after the stop', async () => {
  const library = await startTestLibrary();
  const directory = await library.createDirectory();
  const misspelled = { method: 'GET', directory_id: directory.id } as object as Parameters<typeof library.sync.requests.handle>[0];
  expect((await library.sync.requests.handle(misspelled)).data).toMatchObject({
    detail: 'requests.handle: unknown field directory_id. Did you mean directoryId?',
  });
  const list = Array.from({ length: 300_001 }, () => 1);
  expect((await directory.handle('POST', 'users', { body: { userName: 'x', list } })).data.detail).toBe(
    'The body is larger than 10485760 bytes (MAX_BODY_BYTES) or holds more than 300000 JSON values (MAX_BODY_VALUES).',
  );
  await library.sync.stop();
  const stopped = 'Rollcall has stopped in this process. Nothing was changed.';
  expect((await directory.handle('GET', 'users')).data.detail).toBe(stopped);
  expect((await library.sync.directories.get(directory.id)).error?.message).toBe(stopped);
  await library.stop();
});
