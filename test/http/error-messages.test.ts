import { describe, expect, it } from '@jest/globals';
import { createDiskWatch } from '../../src/app/disk-watch.ts';
import { createReadiness } from '../../src/app/readiness.ts';
import { listen } from '../../src/http/server/listen.ts';
import { createLogger } from '../../src/logger.ts';
import { type MessageRow, useApiErrors } from '../support/api-errors.ts';
import { cloneDatabase } from '../support/database.ts';
import { createOperated } from '../support/operate.ts';
import { sendRaw } from '../support/send-raw.ts';
import { apiKey, createTestNamespace } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The error messages of the JSON API. Other tests compare `code` and `field`. */

const errors = useApiErrors();
const { send } = errors;

const long = (characters: number) => 'x'.repeat(characters);

describe('a request with an invalid body', () => {
  it.each<MessageRow>([
    ['POST /api/v1/directory-sync', ' ', '400 invalid_request', 'The body is empty; it must be JSON.'],
    ['POST /api/v1/directory-sync', '{"tenant":', '400 invalid_request', 'The body is not valid JSON.'],
    ['POST /api/v1/directory-sync', '[]', '400 invalid_request', 'The request must be a JSON object.'],
    [
      'POST /api/v1/directory-sync',
      `{"name":"${long(20_000)}"}`,
      '413 payload_too_large',
      'The body is larger than 20000 bytes (MAX_BODY_BYTES).',
    ],
    [
      'POST /api/v1/directory-sync',
      `${'['.repeat(70)}${']'.repeat(70)}`,
      '400 invalid_request',
      'The body is nested deeper than 64 levels (fixed limit).',
    ],
    ['POST /api/v1/directory-sync', '{"name":"a","name":"b"}', '400 invalid_request name', 'name is a duplicate key.'],
    [
      'POST /api/v1/directory-sync',
      '{"name":"\\u0000"}',
      '400 invalid_request name',
      'name must not contain NUL characters or lone surrogates.',
    ],
    [
      'POST /api/v1/directory-sync',
      '{"name":1e400}',
      '400 invalid_request name',
      'name must be 0 or a number from 1e-21 to 1e21, of either sign.',
    ],
    [
      'POST /api/v1/directory-sync',
      '{"name":12345678901234567890}',
      '400 invalid_request name',
      'name is a number that loses digits in JavaScript: send it as a string.',
    ],
    ['POST /api/v1/directory-sync', {}, '400 invalid_request tenant', 'tenant is required; product is required.'],
    [
      'POST /api/v1/directory-sync',
      { tenant: ' ', product: 'a:b', name: 7 },
      '400 invalid_request tenant',
      'tenant must not be empty; product must not contain the character “:”; name must be a string.',
    ],
    [
      'POST /api/v1/directory-sync',
      { tenant: 'a', product: long(201) },
      '400 invalid_request product',
      'product may have at most 200 characters.',
    ],
    [
      'POST /api/v1/directory-sync',
      { tenant: 'a', product: 'b', webhok_url: 'x' },
      '400 invalid_request webhok_url',
      'Unknown field webhok_url. Did you mean webhook_url?',
    ],
    [
      'POST /api/v1/directory-sync',
      { tenant: 'a', product: 'b', webhook: { endpont: 'x' } },
      '400 invalid_request webhook.endpont',
      'Unknown field webhook.endpont. Did you mean webhook.endpoint?',
    ],
    [
      'POST /api/v1/directory-sync',
      { tenant: 'a', product: 'b', quotas: { user: 1 } },
      '400 invalid_request quotas.user',
      'Unknown field quotas.user. Did you mean quotas.users?',
    ],
  ])('fails with its message: %s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });

  it.each<[Record<string, string>, string, string]>([
    [{ 'content-type': 'text/plain' }, '415 unsupported_media_type', 'The body must be application/json or application/scim+json.'],
    [{ 'content-encoding': 'gzip' }, '415 unsupported_media_type', 'The body must not be compressed.'],
    [{ authorization: '' }, '401 unauthorized', 'Missing API key. Send `Authorization: Api-Key <key>`.'],
    [{ authorization: 'Api-Key wrong' }, '401 unauthorized', 'Invalid API key. Send `Authorization: Api-Key <key>`.'],
  ])('fails with its message: %j', async (headers, error, message) => {
    const { status, body } = await errors.service.api('POST', '/api/v1/directory-sync', '{}', headers);
    expect([`${status} ${body.error.code}`, body.error.message]).toEqual([error, message]);
  });

  it('fails if it is not valid UTF-8', async () => {
    const response = await fetch(`${errors.service.baseUrl}/api/v1/directory-sync`, {
      method: 'POST',
      headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    });
    expect(((await response.json()) as { error: unknown }).error).toEqual({
      code: 'invalid_request',
      message: 'The body is not valid UTF-8.',
      status: 400,
    });
  });
});

describe('a request to a wrong address', () => {
  it.each<MessageRow>([
    ['GET /nowhere', undefined, '404 not_found', 'This path does not exist. See /docs for the API.'],
    ['PUT /api/v1/directory-sync', {}, '405 method_not_allowed', 'PUT is not allowed here. Allowed methods: GET, HEAD, POST.'],
    ['GET {unknown}', undefined, '404 not_found', 'There is no directory with this ID.'],
    ['GET x', undefined, '404 not_found', 'There is no directory with this ID.'],
    ['GET /api/v1/directory-sync?tenant=a', undefined, '400 invalid_request product', 'product is required.'],
    [
      'GET /api/v1/directory-sync?tenant=acme&product=app&limit=many',
      undefined,
      '400 invalid_request limit',
      'limit must be a whole number.',
    ],
    [
      'GET /api/v1/directory-sync?tenant=acme&product=app&limit=1.5',
      undefined,
      '400 invalid_request limit',
      'limit must be a whole number.',
    ],
    [
      'GET /api/v1/directory-sync?tenant=acme&product=app&offset=-1',
      undefined,
      '400 invalid_request offset',
      'offset must not be negative.',
    ],
    [
      'GET /api/v1/directory-sync?tenant=acme&product=app&limt=1',
      undefined,
      '400 invalid_request limt',
      'Unknown parameter limt. Did you mean limit?',
    ],
    ['GET users', undefined, '400 invalid_request tenant', 'Either tenant and product or directory_id is required.'],
    ['GET users?tenant=acme', undefined, '400 invalid_request product', 'Either tenant and product or directory_id is required.'],
    [
      'GET users?directory_id={pushed}&directoryId={bare}',
      undefined,
      '400 invalid_request directory_id',
      'directory_id and directoryId are the same parameter: send one of them.',
    ],
    ['GET users?directory_id={unknown}', undefined, '404 not_found', 'There is no such directory.'],
    ['GET users/{unknown}?directory_id={pushed}', undefined, '404 not_found', 'There is no user with this ID.'],
    ['GET groups/{unknown}?directory_id={pushed}', undefined, '404 not_found', 'There is no group with this ID.'],
    ['GET {pushed}/users/{unknown}/erase', undefined, '404 not_found', 'There is no erasure with this ID.'],
    ['POST {pushed}/users/{unknown}/erase', undefined, '404 not_found', 'There is no user with this ID.'],
    ['POST {unknown}/users/{unknown}/erase', undefined, '404 not_found', 'There is no directory with this ID.'],
    ['GET {unknown}/users/{unknown}/export', undefined, '404 not_found', 'There is no directory with this ID.'],
    ['GET {pushed}/deliveries/msg_x', undefined, '404 not_found', 'There is no delivery with this ID.'],
    [
      'GET {pushed}/deliveries?status=odd',
      undefined,
      '400 invalid_request status',
      'status must be one of pending, delivered, exhausted, split, skipped, replayed, canceled.',
    ],
    ['GET {pushed}/replays/{unknown}', undefined, '404 not_found', 'There is no replay with this ID.'],
    ['GET {authorized}/syncs/{unknown}', undefined, '404 not_found', 'There is no run with this ID.'],
  ])('fails with its message: %s', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

const createWith = (fields: object): [string, unknown] => ['POST /api/v1/directory-sync', { tenant: 'a', product: 'b', ...fields }];

describe('a request about a directory', () => {
  it.each<MessageRow>([
    [
      ...createWith({ type: 'odd' }),
      '400 invalid_request type',
      'type must be one of azure-scim-v2, onelogin-scim-v2, okta-scim-v2, jumpcloud-scim-v2, generic-scim-v2, google, entra, csv.',
    ],
    [...createWith({ deactivated: 'perhaps' }), '400 invalid_request deactivated', 'deactivated must be true or false.'],
    [
      ...createWith({ webhook_url: 'ftp://x' }),
      '400 invalid_request webhook_url',
      'webhook_url must be an http or https address like https://app.example/hooks, without a user name or password, and with a port below 65536 if any.',
    ],
    [
      ...createWith({ webhook_url: 'https://10.0.0.1/' }),
      '400 invalid_request webhook_url',
      'webhook_url is not a public address; set WEBHOOK_ALLOWED_NETWORKS to allow private networks.',
    ],
    [...createWith({ webhook: 7 }), '400 invalid_request webhook', 'webhook must be an object.'],
    [
      ...createWith({ quotas: { users: -1, groups: 'x' } }),
      '400 invalid_request quotas.users',
      'quotas.users must not be negative; quotas.groups must be a whole number.',
    ],
    [
      ...createWith({ google_domain: 'acme.example' }),
      '400 invalid_request google_domain',
      'google_domain is for directories of type google only.',
    ],
    [
      ...createWith({ type: 'google', google_domain: 'a b' }),
      '400 invalid_request google_domain',
      'google_domain must be a domain like acme.example.',
    ],
    [
      ...createWith({ type: 'google', google_admin_email: 'x' }),
      '400 invalid_request google_admin_email',
      'google_admin_email must be an email address.',
    ],
    [
      ...createWith({ type: 'google', google_service_account_key: 'x' }),
      '400 invalid_request google_service_account_key',
      'google_service_account_key must be the text of a service account key file, or empty.',
    ],
    ['PATCH {pushed}', { tenant: 'other' }, '400 invalid_request tenant', 'tenant is fixed: create another directory instead.'],
    ['PATCH {pushed}', { deactivate: true }, '400 invalid_request deactivate', 'Unknown field deactivate. Did you mean deactivated?'],
    [
      'POST {pushed}/scim/secret/rotate',
      { secret: 'short' },
      '400 invalid_request secret',
      'secret must have at least 16 characters; leave it out to have one created.',
    ],
    [
      'POST {pushed}/scim/secret/rotate',
      { secret: 'with spaces in between' },
      '400 invalid_request secret',
      'secret must be letters, digits and signs without spaces: it travels in a header.',
    ],
    [
      'POST {pushed}/scim/secret/rotate',
      { overlap_seconds: 1e9 },
      '400 invalid_request overlap_seconds',
      'overlap_seconds may be at most 2592000, which is thirty days.',
    ],
    [
      'POST {authorized}/scim/secret/rotate',
      {},
      '400 invalid_request',
      'This directory is pulled: it receives no pushes and has no secret.',
    ],
  ])('fails with its message: %s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

describe('a page', () => {
  it('fails if it would be too large', async () => {
    const { directory, push, untilDone } = await createOperated(errors.service, errors.receiver);
    await push('a', 'b', 'c');
    await untilDone();
    await errors.service.db('webhook_batches').where({ directory_id: directory.id }).update({ bytes: 9_000_000 });
    expect(await send(`GET events?directory_id=${directory.id}`, undefined)).toEqual([
      '400 invalid_request limit',
      'This page would take more than 16777216 bytes (fixed limit): request 2 or fewer.',
    ]);
  });
});

const readMissing = async () => {
  const { status, body } = await errors.service.api('GET', '/health/ready');
  return status === 503 && [body.error.code, body.error.message, body.error.missing];
};

describe('readiness', () => {
  it('fails while the disk is almost full, as changes do', async () => {
    const { scim } = await errors.service.createDirectory();
    errors.freeBytes = 999;
    const full = 'The disk is almost full: less than 1000 bytes are free (MIN_FREE_DISK_BYTES). Changes are rejected until there is room.';
    expect(await until(readMissing)).toEqual(['unavailable', full, [full]]);
    expect((await scim('POST', '/Users', { userName: 'ben' })).body.detail).toBe(full);
    errors.freeBytes = Infinity;
    await until(async () => !(await readMissing()));
  });

  it('fails while the disk of the database is full', async () => {
    const disk = createDiskWatch({
      probeDatabase: () => Promise.resolve('full'),
      minFreeBytes: 0,
      low: { freeBytes: 0, bytesPerDirectory: 0, findLargeDirectories: () => Promise.resolve(new Set()) },
      log: createLogger('silent'),
      everyMs: 5,
      probeEveryMs: 5,
    });
    try {
      expect(await until(() => disk.missing())).toBe('The disk of the database is full. Changes are rejected until there is room.');
    } finally {
      disk.stop();
    }
  });

  it('fails with a database of another version', async () => {
    await errors.service.db('knex_migrations').insert({ name: '999_future_breaking', batch: 9 });
    const message = 'The database has a schema that this version cannot use.';
    expect(await readMissing()).toEqual(['unavailable', message, [message]]);
    await errors.service.db('knex_migrations').where({ name: '999_future_breaking' }).delete();
  });

  it('fails without Postgres, Temporal and a worker', async () => {
    const [{ db, drop }, { connection }] = await Promise.all([cloneDatabase(), createTestNamespace()]);
    await Promise.all([drop(), connection.close()]);
    const workers = [{ isRunning: () => false, stop: () => Promise.resolve() }];
    const checkReadiness = createReadiness({ db, disk: { missing: () => undefined }, temporal: { connection, workers } });
    expect((await checkReadiness()).missing).toEqual([
      'Postgres does not respond.',
      'Temporal does not respond.',
      'A worker is not running.',
    ]);
  });
});

describe('a request that cannot be read', () => {
  const host = 'Host: x\r\n';
  it.each<[message: string, status: number, text: string]>([
    ['The request is not valid HTTP.', 400, 'hello\r\n\r\n'],
    ['The request has no Host header.', 400, 'GET / HTTP/1.1\r\n\r\n'],
    ['The request has more than 200 headers (fixed limit).', 431, `GET / HTTP/1.1\r\n${host}${'A: b\r\n'.repeat(200)}\r\n`],
    [
      'The headers are larger than 16 KiB (fixed limit). Send a long filter by POST to /.search.',
      431,
      `GET /${long(20_000)} HTTP/1.1\r\n${host}\r\n`,
    ],
    [
      'The chunk extensions of the body are larger than 16 KiB (fixed limit).',
      413,
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1;${long(20_000)}\r\n`,
    ],
  ])('fails with its message: %s', async (message, status, text) => {
    const { body, ...response } = await sendRaw(errors.service.baseUrl, text);
    expect([response.status, body.error, body.detail]).toEqual([status, { code: 'invalid_request', message, status }, message]);
  });

  it('fails if it does not arrive in time', async () => {
    const limits = { headersTimeoutMs: 20, requestTimeoutMs: 50, checkEveryMs: 10 };
    const server = await listen(() => undefined, { host: '127.0.0.1', port: 0, maxConnections: 5, limits });
    try {
      const { status, body } = await sendRaw(`http://127.0.0.1:${server.port}`, 'GET / HTTP/1.1\r\n');
      expect([status, body.error.message]).toEqual([408, 'The request did not arrive in time.']);
    } finally {
      await server.close(1_000);
    }
  });
});
