import { expect, it } from '@jest/globals';
import type { JacksonOption } from '../../src/jackson/options.ts';
import { translateOptions } from '../../src/jackson/translate-options.ts';

const url = 'postgres://user:password@127.0.0.1:5432/app';
const encryptionKey = '0123456789abcdef0123456789abcdef';
const onLine = async () => undefined;
const db = { engine: 'sql', type: 'postgres', url, encryptionKey };

it('translates the options of Polis that apply to Rollcall, and ignores those of single sign-on', () => {
  const translated = translateOptions({
    externalUrl: 'https://app.example',
    samlPath: '/api/oauth/saml',
    samlAudience: 'https://app.example',
    idpEnabled: true,
    openid: { jwsAlg: 'RS256' },
    noAnalytics: true,
    scimPath: '/api/scim/v2.0',
    db: { ...db, ttl: 300, cleanupLimit: 1000, pageLimit: 50 },
    dsync: {
      callback: onLine,
      webhookBatchSize: 20,
      webhookBatchCronInterval: 60,
      webhookLogsTTL: '30d',
      debugWebhooks: true,
      providers: {
        google: {
          clientId: 'id',
          clientSecret: 'secret',
          authorizePath: '/api/scim/oauth/authorize',
          callbackPath: '/api/scim/oauth/callback',
          cronInterval: 3600,
        },
      },
    },
    webhook: { endpoint: 'https://ops.example/hook', secret: 'ops' },
  });
  expect(translated).toEqual({
    externalUrl: 'https://app.example',
    databaseUrl: url,
    encryptionKeys: [Buffer.from(encryptionKey).toString('base64')],
    deliverWebhooks: false,
    onEvent: onLine,
    settings: {
      DSYNC_GOOGLE_CLIENT_ID: 'id',
      DSYNC_GOOGLE_CLIENT_SECRET: 'secret',
      DSYNC_GOOGLE_CRON_INTERVAL: '3600',
      DSYNC_WEBHOOK_BATCH_SIZE: '20',
      DSYNC_WEBHOOK_BATCH_CRON_INTERVAL: '60',
      DSYNC_WEBHOOK_LOGS_TTL: '30d',
      WEBHOOK_URL: 'https://ops.example/hook',
      WEBHOOK_SECRET: 'ops',
    },
  });
});

it("accepts Rollcall's own options, and gives them precedence", () => {
  const own = { databaseUrl: 'postgres://other/app', encryptionKeys: ['key'], temporalAddress: 'temporal:7233' };
  const expected = { ...own, deliverWebhooks: true, settings: {} };
  expect(translateOptions(own)).toEqual(expected);
  expect(translateOptions({ ...own, db })).toEqual(expected);
  expect(translateOptions({ ...own, deliverWebhooks: false })).toEqual({ ...expected, deliverWebhooks: false });
});

it('accepts a key as 32 characters or as 32 bytes in base64', () => {
  const bytes = Buffer.alloc(32, 7).toString('base64');
  expect(translateOptions({ db: { ...db, encryptionKey: bytes } }).encryptionKeys).toEqual([bytes]);
});

it('uses the requested TLS mode', () => {
  expect(translateOptions({ db: { ...db, ssl: true } }).databaseUrl).toBe(`${url}?sslmode=verify-full`);
  expect(translateOptions({ db: { ...db, ssl: { rejectUnauthorized: false } } }).databaseUrl).toBe(`${url}?sslmode=no-verify`);
});

it("writes each log line to Polis' logger", () => {
  const lines: unknown[] = [];
  const { logTo } = translateOptions({ db, logger: { warn: (message, details) => void lines.push({ message, details }) } });
  logTo!.write('{"level":40,"msg":"slow","directoryId":"d"}\n');
  logTo!.write('{"level":30,"msg":"nobody listens to this"}\n');
  expect(lines).toEqual([{ message: 'slow', details: { directoryId: 'd' } }]);
});

it.each<[string, JacksonOption, string | RegExp]>([
  ['no database', { externalUrl: 'https://app.example' }, 'db is'],
  ['another engine', { db: { ...db, engine: 'mongo' } }, 'db.engine mongo'],
  ['another database', { db: { ...db, type: 'mysql' } }, 'db.type mysql'],
  ['memory', { db: { engine: 'mem', encryptionKey } }, 'db.engine mem'],
  ['a driver', { db: { driver: {}, encryptionKey } }, 'db.driver'],
  ['no address', { db: { encryptionKey } }, 'db.url'],
  ['an address of another kind', { db: { ...db, url: 'mysql://host/db' } }, 'db.url'],
  ['no key', { db: { url } }, 'db.encryptionKey'],
  ['a short key', { db: { ...db, encryptionKey: 'short' } }, 'db.encryptionKey'],
  ['a certificate', { db: { ...db, ssl: { ca: '…' } as never } }, 'db.ssl.ca'],
  ['another SCIM path', { db, scimPath: '/scim' }, 'scimPath /scim'],
  ['another callback path', { db, dsync: { providers: { google: { callbackPath: '/google' } } } }, 'callbackPath /google'],
  ['a misspelled option', { db, externalURl: 'https://app.example', extenalUrl: '' }, /extenalUrl|externalURl/],
  ['a misspelled setting', { db: { ...db, encryptonKey: '' } }, /db\.encryptonKey\W.* db\.encryptionKey\?$/],
])('rejects %s, and names the option', (_, options, sentence) => {
  expect(() => translateOptions(options)).toThrow(sentence);
});

it('shows no secret in an error', () => {
  expect(() => translateOptions({ db: { ...db, url: 'mysql://user:hunter2@host/db' } })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
  );
});
