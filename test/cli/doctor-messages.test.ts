import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkClock } from '../../src/cli/doctor/check-clock.ts';
import { checkConfiguration } from '../../src/cli/doctor/check-configuration.ts';
import { checkDataFolder } from '../../src/cli/doctor/check-data-folder.ts';
import { checkDatabase, checkReplica } from '../../src/cli/doctor/check-database.ts';
import { checkApiKey, checkService } from '../../src/cli/doctor/check-service.ts';
import { checkTemporal } from '../../src/cli/doctor/check-temporal.ts';
import { checkDelivery, checkWebhook } from '../../src/cli/doctor/check-webhook.ts';
import { withTimeLimit, type Finding } from '../../src/cli/doctor/findings.ts';
import { checkNode } from '../../src/cli/doctor/run-checks.ts';
import { readConfig } from '../../src/config.ts';
import { createKeyring } from '../../src/keyring.ts';
import { checkEncryption } from '../../src/store/encryption/keys-in-use.ts';
import { cloneDatabase } from '../support/database.ts';
import { startTlsReceiver } from '../support/hostile-receiver.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { apiKey, shareTestService, type TestService } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** The findings of `rollcall doctor`, with their advice. Other tests compare the check and the verdict. */

let service: TestService;
let receiver: Receiver;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let folder: TemporaryFolder;
let other: Awaited<ReturnType<typeof startOther>>;
beforeAll(async () => {
  [service, receiver, database, folder, other] = await Promise.all([
    shareTestService(),
    startReceiver(),
    cloneDatabase(),
    temporaryFolder(),
    startOther(),
  ]);
  // The first one is generated, which takes longer than a command waits if the machine is busy.
  await fetch(`${service.baseUrl}/openapi.json`);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([receiver.close(), database.drop(), folder[Symbol.asyncDispose]()]);
  other.close();
});

/** A server that is not Rollcall, and returns the status that its path names. */
async function startOther() {
  const server = createServer((request, response) => void response.writeHead(Number(/^\/(\d{3})/.exec(request.url!)?.[1] ?? 404)).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

const { signal } = new AbortController();
const nowhere = 'http://127.0.0.1:1';

/** The verdict, the message and the advice of each finding, without what differs from run to run. */
const textsOf = (found: Finding | Finding[], ...names: [value: string, name: string][]) =>
  [found].flat().map(({ verdict, message, advice }) => {
    const texts = advice === undefined ? [message] : [message, advice];
    return [verdict, ...texts.map((text) => names.reduce((rest, [value, name]) => rest.replaceAll(value, name), text))];
  });

describe('the versions, the clock and the configuration', () => {
  it('reports Node', () => {
    expect(textsOf([checkNode('20.19.0'), checkNode('18.20.0')])).toEqual([
      ['ok', 'Node 20.19.0.'],
      ['problem', 'Node 18.20.0 is too old.', 'Install Node 20.19 or newer.'],
    ]);
  });

  it('reports a clock that is right, wrong, or so wrong that it does harm', () => {
    const nowMs = Date.parse('2026-11-21T12:00:00Z');
    const findings = [0, 30_000, -400_000].map((offsetMs) =>
      checkClock('the service', new Date(nowMs + offsetMs), { uncertaintyMs: 0, nowMs }),
    );
    const advice = 'Synchronize the clocks of all machines with NTP.';
    expect(textsOf(findings)).toEqual([
      ['ok', "The clock of the service agrees with this machine's."],
      ['warning', "The clock of the service is 30 s ahead of this machine's. Times in events and logs are off by as much.", advice],
      [
        'problem',
        "The clock of the service is 400 s behind this machine's. Receivers reject webhooks whose timestamp is off by more than five minutes, and Google rejects requests that are signed with a wrong time.",
        advice,
      ],
    ]);
  });

  it.each<[NodeJS.ProcessEnv, string[]]>([
    [{}, ['ok', 'All settings are valid.']],
    [
      { PORT: 'ninety' },
      [
        'problem',
        'PORT must be a port number from 0 to 65535.',
        'Correct it in the environment or .env; .env.example documents each setting.',
      ],
    ],
    [
      { WEBHOOK_ALOWED_NETWORKS: '10.0.0.0/8' },
      [
        'warning',
        'Unknown setting WEBHOOK_ALOWED_NETWORKS. Did you mean WEBHOOK_ALLOWED_NETWORKS?',
        'Correct or remove it in the environment or .env.',
      ],
    ],
    [
      { HOST: '0.0.0.0' },
      [
        'warning',
        'EXTERNAL_URL is not set and HOST listens on every interface, so SCIM endpoints start with http://localhost.',
        'Set EXTERNAL_URL to the URL at which identity providers reach the service.',
      ],
    ],
    [
      { EXTERNAL_URL: 'http://a.example' },
      [
        'warning',
        'EXTERNAL_URL is http: secrets are sent unencrypted.',
        'Terminate TLS in front of the service, and set EXTERNAL_URL to the https URL.',
      ],
    ],
    [
      { DATABASE_URL: 'postgres://a.example/b', TEMPORAL_ADDRESS: 'a.example:7233' },
      [
        'warning',
        'API_KEYS is not set. `rollcall start` generates one, but `rollcall api` requires it.',
        'Set API_KEYS where you run `rollcall api`.',
      ],
    ],
  ])('reports the settings %j', (env, expected) => {
    expect(textsOf(checkConfiguration(env).findings).at(-1)).toEqual(expected);
  });
});

const checkFolder = async (dataDir: string) => {
  const { findings } = await checkDataFolder(readConfig({ ROLLCALL_DATA_DIR: dataDir }, 'start'));
  return textsOf(findings, [dataDir, '{folder}']);
};

it('reports the data folder', async () => {
  await writeFile(folder.at('file'), '');
  expect(await checkFolder(folder.at('none'))).toEqual([
    ['skipped', 'The data folder {folder} does not exist yet. `npm start` creates it.'],
  ]);
  expect(await checkFolder(folder.at('file'))).toEqual([['problem', '{folder} is not a folder.', 'Set ROLLCALL_DATA_DIR to a folder.']]);
  expect(await checkFolder(folder.path)).toEqual([
    ['ok', '{folder} is writable.'],
    ['skipped', 'Its Postgres is not running. `npm start` starts it.'],
  ]);
  await writeFile(folder.at('encryption-key'), 'cut off\n');
  expect((await checkFolder(folder.path))[1]).toEqual([
    'problem',
    '{folder}/encryption-key is damaged.',
    'Restore it from the backup of the data folder, or set ENCRYPTION_KEYS to its key: the secrets in the database cannot be decrypted without it.',
  ]);
});

const checkUrl = async (url: string, encryptionKeys?: Buffer[]) =>
  textsOf(await checkDatabase({ url, pooler: undefined, encryptionKeys, setting: 'DATABASE_URL' }));

describe('the database', () => {
  it('reports one that responds', async () => {
    const key = Buffer.alloc(32, 7);
    await checkEncryption(database.db, createKeyring([key]));
    expect(await checkUrl(database.url, [key])).toEqual([
      ['ok', expect.stringMatching(/^Postgres \d+.* responds\.$/)],
      ['ok', 'The schema is up to date.'],
      ['ok', 'The encryption keys decrypt the stored data.'],
      ['ok', "The clock of the database agrees with this machine's."],
    ]);
  });

  it.each<[string, (url: URL) => unknown, string, string]>([
    ['no server', (url) => (url.port = '1'), 'Nothing listens at the address of the database.', 'Start Postgres, or correct DATABASE_URL.'],
    [
      'no host',
      (url) => (url.hostname = 'nowhere.invalid'),
      'The host name cannot be resolved.',
      'Correct the host in DATABASE_URL, or the DNS.',
    ],
    ['a wrong password', (url) => (url.password = 'wrong'), 'Postgres rejected the user or the password.', 'Correct them in DATABASE_URL.'],
    ['no database', (url) => (url.pathname = '/nowhere'), 'The database does not exist.', 'Create it, or correct DATABASE_URL.'],
  ])('reports %s', async (_, change, message, advice) => {
    const url = new URL(database.url);
    change(url);
    expect(await checkUrl(url.href)).toEqual([['problem', message, advice]]);
  });

  it('reports an empty one, and a schema and keys that do not fit', async () => {
    expect(await checkUrl(process.env['TEST_POSTGRES_URL']!)).toContainEqual([
      'warning',
      'The database is empty.',
      'Run `rollcall migrate`; `start`, `api` and `worker` also migrate it.',
    ]);
    const changed = await cloneDatabase();
    try {
      await changed.db('encryption_keys').insert({ id: 'another' });
      expect(await checkUrl(changed.url, [Buffer.alloc(32, 7)])).toContainEqual([
        'problem',
        'The encryption keys do not decrypt the stored data.',
        'Restore the key that the database was created with, in ENCRYPTION_KEYS or in the data folder.',
      ]);
      await changed.db('knex_migrations').insert({ name: '998_future', batch: 9 });
      expect(await checkUrl(changed.url)).toContainEqual([
        'warning',
        'The schema belongs to a newer version of Rollcall, with which this version can work.',
        'Finish the upgrade or the rollback.',
      ]);
      await changed.db('knex_migrations').insert({ name: '999_future_breaking', batch: 9 });
      expect(await checkUrl(changed.url)).toContainEqual([
        'problem',
        'The schema belongs to another version of Rollcall.',
        'Run `rollcall migrate` of the newest version, and use that version everywhere.',
      ]);
    } finally {
      await changed.drop();
    }
  });

  it('reports a read replica that is none', async () => {
    const checkAsReplica = async (url: string) => textsOf(await checkReplica({ url, primaryUrl: database.url, pooler: undefined }));
    expect(await checkAsReplica(database.url)).toEqual([
      ['problem', 'The server at DATABASE_READ_URL is not a replica.', 'Use the address of a streaming replica, or remove the setting.'],
    ]);
    expect(await checkAsReplica(process.env['TEST_POSTGRES_URL']!)).toEqual([
      ['problem', 'The server at DATABASE_READ_URL has another database.', 'Use the address of a streaming replica of DATABASE_URL.'],
    ]);
    expect(await checkAsReplica('postgres://127.0.0.1:1/x')).toEqual([
      ['warning', 'The replica does not respond, so the primary serves lists and the feed.', 'Start it, or correct DATABASE_READ_URL.'],
    ]);
  });
});

describe('Temporal', () => {
  const address = process.env['TEST_TEMPORAL_ADDRESS']!;
  const check = async (namespace: string) => {
    const { temporal } = readConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace }, 'start');
    return textsOf(await checkTemporal({ ...temporal, address }), [address, '{address}'], [namespace, '{namespace}']);
  };

  it('reports a namespace that workers poll', async () => {
    // Temporal lists pollers of a task queue with a delay.
    const findings = await until(
      async () => {
        const found = await check(service.client.options.namespace);
        return found.every(([verdict]) => verdict === 'ok') && found;
      },
      { timeoutMs: 60_000 },
    );
    expect(findings).toEqual([
      ['ok', 'Temporal responds at {address}.'],
      ['ok', 'The namespace {namespace} exists.'],
      ['ok', 'The search attribute exists.'],
      ['ok', 'Workers poll the task queue rollcall-mutations.'],
      ['ok', 'Workers poll the task queue rollcall-deliveries.'],
      ['ok', 'Workers poll the task queue rollcall-syncs.'],
    ]);
  });

  it('reports a namespace that does not exist', async () => {
    expect(await check('nowhere')).toEqual([
      ['ok', 'Temporal responds at {address}.'],
      ['problem', 'The namespace {namespace} does not exist.', 'Create it, or correct TEMPORAL_NAMESPACE.'],
    ]);
  });
});

const checkServiceAt = async (baseUrl: string) => textsOf(await checkService({ baseUrl, urlSource: 'PORT' }, signal), [baseUrl, '{url}']);
const checkKey = async (baseUrl: string, key: string) =>
  textsOf(await checkApiKey({ baseUrl, urlSource: 'PORT', apiKey: key, keySource: 'API_KEYS' }, signal));

describe('the service', () => {
  it('reports one that is ready, one that does not respond, and a server that is another', async () => {
    expect(await checkServiceAt(service.baseUrl)).toEqual([
      ['ok', 'The service at {url} is ready.'],
      ['ok', expect.stringMatching(/^The service and this command line are both version \d+\.\d+\.\d+\.$/)],
      ['ok', "The clock of the service agrees with this machine's."],
    ]);
    expect(await checkServiceAt('http://127.0.0.1:2')).toEqual([
      [
        'problem',
        'No response from {url} (ECONNREFUSED), the URL from PORT.',
        'Start the service with `npm start`, or pass its URL with --url or ROLLCALL_URL.',
      ],
    ]);
    expect((await checkServiceAt(other.url))[0]).toEqual([
      'problem',
      'The server at {url} is not Rollcall, or a proxy responded (status 404).',
      'Correct the URL: --url, ROLLCALL_URL, EXTERNAL_URL or PORT.',
    ]);
  });

  it('reports its response to the API key', async () => {
    expect(await checkKey(service.baseUrl, apiKey)).toEqual([['ok', 'The service accepted the key from API_KEYS.']]);
    expect(await checkKey(service.baseUrl, 'another-key-of-32-characters-or-more')).toEqual([
      [
        'problem',
        'The service rejected the key from API_KEYS.',
        'Pass a valid key with ROLLCALL_API_KEY or --api-key-file, or run the command in the folder of the service.',
      ],
    ]);
    expect(await checkKey(other.url, apiKey)).toEqual([['skipped', 'The key could not be checked: the service returned 404.']]);
    expect(await checkKey(nowhere, apiKey)).toEqual([['skipped', 'The key could not be checked: the service does not respond.']]);
  });
});

const checkReceiver = async (url: string, { isTested = false, allowedNetworks = ['127.0.0.0/8', '::1/128'] } = {}) => {
  const host = URL.canParse(url) ? new URL(url).host : url;
  return textsOf(await checkWebhook({ url, label: '--webhook-url', allowedNetworks, isTested, signal }), [host, '{host}']);
};

describe('a webhook', () => {
  const allowAdvice = 'Use a public address, or allow the network in WEBHOOK_ALLOWED_NETWORKS.';

  it.each([
    ['nonsense', '--webhook-url is not a URL: {host}.', 'Use a URL such as https://app.example/hooks.'],
    ['https://nowhere.invalid/', 'The host name {host} cannot be resolved.', 'Correct it in --webhook-url, or wait for its DNS record.'],
    ['http://10.0.0.1/', expect.stringMatching(/^--webhook-url is not a public address; set WEBHOOK_ALLOWED_NETWORKS/), allowAdvice],
    ['http://localhost/', '{host} resolves only to addresses that webhooks may not reach: 127.0.0.1.', allowAdvice],
  ])('reports the URL %s', async (url, message, advice) => {
    const found = await checkReceiver(url, { allowedNetworks: [] });
    expect([found[0]![0], found[0]![1]!.replace(/(127\.0\.0\.1|::1)(, .+)?\./, '127.0.0.1.'), found[0]![2]]).toEqual([
      'problem',
      message,
      advice,
    ]);
  });

  it.each([
    ['/200', ['ok', '{host} responds (200 to a request without an event). Use --send-test to send a signed test event.']],
    ['/500', ['warning', '{host} returned 500.', "Check the receiver's log. Use --send-test to send a signed test event."]],
    [
      '/302',
      ['warning', '{host} returned 302, a redirect, which webhooks do not follow.', 'Use the URL it redirects to as the webhook URL.'],
    ],
  ])('reports the response to %s', async (path, finding) => {
    expect(await checkReceiver(other.url + path)).toEqual([
      ['ok', '{host} resolves to 127.0.0.1, which webhooks may reach.'],
      ['ok', 'Connected to {host}.'],
      finding,
    ]);
  });

  it('reports a receiver that does not respond, and a certificate that is not trusted', async () => {
    expect((await checkReceiver('http://127.0.0.1:2/')).at(-1)).toEqual([
      'problem',
      'Cannot connect to {host} (ECONNREFUSED).',
      'Start the receiver, and check for a firewall in between.',
    ]);
    const tls = await startTlsReceiver((socket) => void socket.end());
    try {
      expect((await checkReceiver(tls.url)).at(-1)).toEqual([
        'problem',
        expect.stringMatching(/^The certificate of \{host\} is not trusted \(\w+\)\.$/),
        'Use a certificate from a public authority, with its intermediate certificates.',
      ]);
    } finally {
      await tls.close();
    }
  });

  it('reports a delivery that fails or is paused', async () => {
    const { id, scim } = await service.createDirectory({ webhook_url: receiver.url });
    const connection = { baseUrl: service.baseUrl, urlSource: 'PORT', apiKey, keySource: 'API_KEYS' };
    const checkIts = async () => textsOf(await checkDelivery(id, connection, signal), [id, '{id}']);
    expect(await checkIts()).toEqual([]);
    receiver.respond = (response) => void response.writeHead(500).end();
    await scim('POST', '/Users', { userName: 'waiting@example.com' });
    const failing = await until(async () => {
      const found = await checkIts();
      return found.length > 0 && found;
    });
    expect(failing).toEqual([
      [
        'warning',
        expect.stringMatching(/^Delivery has been failing since \S+Z; 1 event waits\.$/),
        expect.stringMatching(
          /^The reason: rollcall deliveries show \{id\} msg_[\w-]+\. To retry now: rollcall deliveries retry \{id\} msg_[\w-]+$/,
        ),
      ],
    ]);
    await service.api('POST', `/api/v1/directory-sync/${id}/pause`);
    expect(await checkIts()).toEqual([['warning', 'Delivery is paused; 1 event waits.', 'To continue: rollcall deliveries resume {id}']]);
  });
});

it('reports a check that hangs or fails', async () => {
  expect(textsOf(await withTimeLimit('Database', () => new Promise(() => undefined), 20))).toEqual([
    ['problem', 'No response within 0.02 s.', 'Check whether this machine is overloaded, or a firewall drops packets.'],
  ]);
  expect(textsOf(await withTimeLimit('Database', () => Promise.reject(new Error('a defect')), 1_000))).toEqual([
    ['problem', 'The check itself failed: a defect', 'Run `rollcall doctor` again. If it fails again, report a bug.'],
  ]);
});
