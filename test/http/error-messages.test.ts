import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDiskWatch } from '../../src/app/disk-watch.ts';
import { createReadiness } from '../../src/app/readiness.ts';
import { listen } from '../../src/http/server/listen.ts';
import { createLogger } from '../../src/logger.ts';
import { cloneDatabase } from '../support/database.ts';
import { useGoogleService } from '../support/google-service.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { createOperated } from '../support/operate.ts';
import { createPulledDirectory } from '../support/pulled-directories.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { sendRaw } from '../support/send-raw.ts';
import { apiKey, createTestNamespace, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The error messages of the JSON API. Other tests compare `code` and `field`. */

let google: FakeGoogle;
let service: TestService;
let receiver: Receiver;
const ids: Record<string, string> = { unknown: '01a1fd46-beef-7978-b244-a1855f394770' };
let freeBytes = Infinity;
useGoogleService(
  (started) => ({ google, service } = started),
  { MAX_BODY_BYTES: '20000', MIN_FREE_DISK_BYTES: '1000' },
  { freeDiskBytes: () => Promise.resolve(freeBytes) },
);
beforeAll(async () => {
  receiver = await startReceiver();
  const create = (fields: Record<string, unknown>) => service.createDirectory(fields);
  const pushed = await createOperated(service, receiver);
  const unlogged = await createOperated(service, receiver, { log_webhook_events: false });
  const swept = await createOperated(service, receiver);
  for (const { push, untilDone } of [pushed, unlogged, swept]) {
    await push('a', 'b');
    await untilDone();
  }
  await service.db('events').where({ directory_id: swept.directory.id, sequence: 1 }).delete();
  await service.db('directories').where({ id: swept.directory.id }).update({ swept_sequence: 1 });
  const [delivery] = await pushed.get('/deliveries');
  const replay = await pushed.replay({ mode: 'single', sequence: 1 });
  await swept.post('/pause');
  const full = await createOperated(service, receiver, { quotas: { replays: 0, searches: 0 } });
  await full.push('a');
  await full.untilDone();

  google.addUser();
  const authorized = await createPulledDirectory(service, google);
  const bodiesOf = () => service.db('stored_events').where({ directory_id: unlogged.directory.id }).whereNotNull('data');
  await until(async () => (await bodiesOf()).length === 0);
  const run = await authorized.sync();
  const off = await createPulledDirectory(service, google, { deactivated: true });
  Object.assign(ids, {
    pushed: pushed.directory.id,
    unlogged: unlogged.directory.id,
    swept: swept.directory.id,
    full: full.directory.id,
    bare: (await create({ tenant: 'bare' })).id,
    unauthorized: (await create({ type: 'google', tenant: 'waiting' })).id,
    service: (await create({ type: 'google', google_admin_email: 'admin@acme.example' })).id,
    authorized: authorized.id,
    off: off.id,
    delivery: delivery.id,
    replay: replay.id,
    run: run.id,
  });
});
afterAll(() => receiver.close());

/** The request, its body if it has one, the status with the code and the field, and the message. */
type Row = [request: string, body: unknown, error: string, message: string];

async function send(line: string, body: unknown) {
  const [method, path] = line.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!).split(' ') as [string, string];
  const response = await service.api(method, path.startsWith('/') ? path : `/api/v1/directory-sync/${path}`, body);
  const { code, field, message: said = '' } = response.body.error ?? {};
  return [[response.status, code, field].filter(Boolean).join(' '), withoutIds(said)];
}

const withoutIds = (text: string) => Object.entries(ids).reduce((rest, [name, id]) => rest.replaceAll(id, `{${name}}`), text);

const long = (characters: number) => 'x'.repeat(characters);

describe('of the body', () => {
  it.each<Row>([
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
  ])('%s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });

  it.each<[Record<string, string>, string, string]>([
    [{ 'content-type': 'text/plain' }, '415 unsupported_media_type', 'The body must be application/json or application/scim+json.'],
    [{ 'content-encoding': 'gzip' }, '415 unsupported_media_type', 'The body must not be compressed.'],
    [{ authorization: '' }, '401 unauthorized', 'Missing or invalid API key. Send `Authorization: Api-Key <key>`.'],
    [{ authorization: 'Api-Key wrong' }, '401 unauthorized', 'Missing or invalid API key. Send `Authorization: Api-Key <key>`.'],
  ])('%j', async (headers, error, message) => {
    const { status, body } = await service.api('POST', '/api/v1/directory-sync', '{}', headers);
    expect([`${status} ${body.error.code}`, body.error.message]).toEqual([error, message]);
  });

  it('invalid UTF-8', async () => {
    const response = await fetch(`${service.baseUrl}/api/v1/directory-sync`, {
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

describe('of the address', () => {
  it.each<Row>([
    ['GET /nowhere', undefined, '404 not_found', 'Nothing is served at this path. See /docs for the API.'],
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
    ['GET {pushed}/deliveries/msg_x', undefined, '404 not_found', 'There is no delivery with this ID.'],
    [
      'GET {pushed}/deliveries?status=odd',
      undefined,
      '400 invalid_request status',
      'status must be one of pending, delivered, exhausted, split, skipped, replayed, canceled.',
    ],
    ['GET {pushed}/replays/{unknown}', undefined, '404 not_found', 'There is no replay with this ID.'],
    ['GET {authorized}/syncs/{unknown}', undefined, '404 not_found', 'There is no run with this ID.'],
  ])('%s', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

const createWith = (fields: object): [string, unknown] => ['POST /api/v1/directory-sync', { tenant: 'a', product: 'b', ...fields }];

describe('of a directory', () => {
  it.each<Row>([
    [
      ...createWith({ type: 'odd' }),
      '400 invalid_request type',
      'type must be one of azure-scim-v2, onelogin-scim-v2, okta-scim-v2, jumpcloud-scim-v2, generic-scim-v2, google.',
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
  ])('%s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

describe('of delivery', () => {
  it.each<Row>([
    ['POST {bare}/webhook/test', {}, '400 invalid_request', 'This directory has no webhook to test.'],
    ['POST {bare}/webhook/secret/rotate', {}, '400 invalid_request', 'This directory has no webhook, so it has no secret to rotate.'],
    [
      'POST {pushed}/webhook/secret/rotate',
      { secret: '' },
      '400 invalid_request secret',
      'secret must not be empty; leave it out to have one created.',
    ],
    ['POST {pushed}/resume', { from: 'then' }, '400 invalid_request from', 'from must be backlog or now.'],
    [
      'POST {pushed}/deliveries/{delivery}/retry',
      undefined,
      '400 invalid_request',
      'This delivery is already complete: to send it again, start a replay with the mode “single” and its delivery_id.',
    ],
    ['POST {pushed}/deliveries/msg_x/retry', undefined, '404 not_found', 'There is no delivery with this ID.'],
  ])('%s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

const time = (day: number) => `2026-01-0${day}T00:00:00Z`;

const replayOf = (request: object, of = 'pushed'): [string, unknown] => [`POST {${of}}/replays`, request];

describe('of a replay', () => {
  it.each<Row>([
    [...replayOf({}), '400 invalid_request mode', 'mode is required.'],
    [...replayOf({ mode: 'all' }), '400 invalid_request mode', 'mode must be one of single, failed, missing, range.'],
    [...replayOf({ mode: 'single' }), '400 invalid_request mode', 'mode “single” requires one of event_id, sequence, delivery_id.'],
    [
      ...replayOf({ mode: 'single', sequence: 1, event_id: 'x' }),
      '400 invalid_request sequence',
      'sequence must not be given together with event_id.',
    ],
    [...replayOf({ mode: 'single', sequence: 0 }), '400 invalid_request sequence', 'sequence must be at least 1.'],
    [...replayOf({ mode: 'single', sequence: '1' }), '400 invalid_request sequence', 'sequence must be a whole number.'],
    [
      ...replayOf({ mode: 'single', sequence: 3 }),
      '400 invalid_request sequence',
      'sequence is above the last sequence of this directory, 2.',
    ],
    [...replayOf({ mode: 'single', event_id: 'x' }), '404 not_found event_id', 'There is no event with this ID.'],
    [...replayOf({ mode: 'single', delivery_id: 'x' }), '404 not_found', 'There is no delivery with this ID.'],
    [...replayOf({ mode: 'range' }), '400 invalid_request mode', 'mode “range” requires from_sequence and to_sequence, or from and to.'],
    [...replayOf({ mode: 'range', from_sequence: 1 }), '400 invalid_request to_sequence', 'to_sequence is required.'],
    [...replayOf({ mode: 'range', to_sequence: 1 }), '400 invalid_request from_sequence', 'from_sequence is required.'],
    [
      ...replayOf({ mode: 'range', from_sequence: 2, to_sequence: 1 }),
      '400 invalid_request to_sequence',
      'to_sequence must not be less than from_sequence.',
    ],
    [
      ...replayOf({ mode: 'range', from_sequence: 1, to_sequence: 9 }),
      '400 invalid_request to_sequence',
      'to_sequence is above the last sequence of this directory, 2.',
    ],
    [
      ...replayOf({ mode: 'range', from_sequence: 1e30, to_sequence: 1e30 }),
      '400 invalid_request from_sequence',
      'from_sequence must be 0 or a number from 1e-21 to 1e21, of either sign.',
    ],
    [
      ...replayOf({ mode: 'range', from_sequence: 1, to_sequence: 2, to: time(1) }),
      '400 invalid_request to',
      'to must not be given together with sequences.',
    ],
    [...replayOf({ mode: 'range', from: time(1) }), '400 invalid_request to', 'to is required.'],
    [...replayOf({ mode: 'range', from: time(2), to: time(1) }), '400 invalid_request to', 'to must not be before from.'],
    [
      ...replayOf({ mode: 'range', from: 'yesterday', to: 'today' }),
      '400 invalid_request from',
      'from must be a time like 2026-01-31T12:00:00Z; to must be a time like 2026-01-31T12:00:00Z; to must not be before from.',
    ],
    [
      ...replayOf({ mode: 'range', from: 1, to: '2' }),
      '400 invalid_request from',
      'from must be a time like 2026-01-31T12:00:00Z (send a sequence number as from_sequence); to must be a time like 2026-01-31T12:00:00Z (send a sequence number as to_sequence).',
    ],
    [
      ...replayOf({ mode: 'range', from: time(1), to: time(2) }),
      '400 invalid_request from',
      'There are no delivered events in this period.',
    ],
    [...replayOf({ mode: 'failed', since: time(2), until: time(1) }), '400 invalid_request until', 'until must not be before since.'],
    [
      ...replayOf({ mode: 'failed', from_sequence: 1 }),
      '400 invalid_request from_sequence',
      'from_sequence does not belong to the mode “failed”.',
    ],
    [...replayOf({ mode: 'failed', sinse: time(2) }), '400 invalid_request sinse', 'Unknown field sinse. Did you mean since?'],
    [...replayOf({ mode: 'failed', dry_run: 'yes' }), '400 invalid_request dry_run', 'dry_run must be true or false.'],
    [...replayOf({ mode: 'failed' }), '400 invalid_request', 'No failed events were skipped in this period: there is nothing to replay.'],
    [
      ...replayOf({ mode: 'missing' }),
      '400 invalid_request',
      'No events were skipped without an attempt in this period: there is nothing to replay.',
    ],
    [
      ...replayOf({ mode: 'single', sequence: 1 }, 'unlogged'),
      '400 invalid_request',
      'The bodies of these events were deleted after delivery, because log_webhook_events was not set at that time. Set it on the directory to keep the bodies of later events.',
    ],
    [
      ...replayOf({ mode: 'single', sequence: 1 }, 'swept'),
      '400 invalid_request',
      'These events were deleted after the retention period: there is nothing to replay.',
    ],
    [
      ...replayOf({ mode: 'range', from_sequence: 1, to_sequence: 2 }, 'swept'),
      '400 invalid_request from_sequence',
      'from_sequence must be 2 or more: earlier events were deleted after the retention period.',
    ],
    [...replayOf({ mode: 'single', sequence: 1 }, 'bare'), '400 invalid_request', 'This directory has no webhook to replay to.'],
    [
      ...replayOf({ mode: 'single', sequence: 1 }, 'full'),
      '429 rate_limited',
      'The directory may have at most 0 replays that are running or queued (quotas.replays of this directory); try again when one has ended, or cancel one.',
    ],
    ['POST {pushed}/replays/{replay}/cancel', undefined, '400 invalid_request', 'This replay has ended already.'],
  ])('%s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

describe('of the event feed', () => {
  it.each<Row>([
    ['GET /api/v1/events?limit=-1', undefined, '400 invalid_request limit', 'limit must not be negative.'],
    ['GET /api/v1/events?limit=many', undefined, '400 invalid_request limit', 'limit must be a whole number.'],
    ['GET /api/v1/events?limit=1.5', undefined, '400 invalid_request limit', 'limit must be a whole number.'],
    ['GET /api/v1/events?order=random', undefined, '400 invalid_request order', 'order must be asc or desc.'],
    ['GET /api/v1/events?wait=26', undefined, '400 invalid_request wait', 'wait must be a number of seconds from 0 to 25.'],
    [
      'GET /api/v1/events?wait=1&order=desc',
      undefined,
      '400 invalid_request wait',
      'wait requires order=asc: no new events are added at the old end.',
    ],
    [
      'GET /api/v1/events?range_start=yesterday',
      undefined,
      '400 invalid_request range_start',
      'range_start must be a time like 2026-11-21T08:43:54Z.',
    ],
    [
      'GET /api/v1/events?range_start=2026-01-01T00:00:00Z&range_end=2025-01-01T00:00:00Z',
      undefined,
      '400 invalid_request range_end',
      'range_end must be later than range_start.',
    ],
    [
      'GET /api/v1/events?after=x&range_start=2026-01-01T00:00:00Z',
      undefined,
      '400 invalid_request range_start',
      'range_start and after exclude each other: the cursor says where to continue.',
    ],
    [
      'GET /api/v1/events?after=x',
      undefined,
      '400 invalid_request after',
      'after is not a cursor of this feed: send list_metadata.after unchanged, with the same directory, or tenant and product, as before.',
    ],
    ['GET /api/v1/events?after=a&after=b', undefined, '400 invalid_request after', 'after must be given once.'],
    ['GET /api/v1/events?tenant=acme', undefined, '400 invalid_request product', 'Either tenant and product or directory_id is required.'],
    [
      'GET /api/v1/events?events=user.exploded',
      undefined,
      '400 invalid_request events',
      'events may name only user.created, user.updated, user.deleted, group.created, group.updated, group.deleted, group.user_added, group.user_removed.',
    ],
    ['GET /api/v1/events?types=user.created', undefined, '400 invalid_request types', 'Unknown parameter types. Did you mean events?'],
    ['GET /api/v1/events?directory_id={unknown}', undefined, '404 not_found', 'There is no such directory.'],
  ])('%s', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

describe('of a sync', () => {
  it.each<Row>([
    [
      'POST {pushed}/sync',
      undefined,
      '400 invalid_request',
      'This directory is of type generic-scim-v2: only one of type google can be synced.',
    ],
    ['POST {off}/sync', undefined, '400 invalid_request', 'This directory is deactivated: activate it first.'],
    [
      'POST {unauthorized}/sync',
      undefined,
      '400 invalid_request',
      'This directory is not authorized yet: send an administrator to its authorization URL first.',
    ],
    ['POST {authorized}/sync?confirm=', undefined, '400 invalid_request confirm', 'confirm must name the run that is confirmed.'],
    [
      'POST {authorized}/sync?confirm={run}',
      undefined,
      '400 invalid_request confirm',
      'confirm must name a run that needs a confirmation.',
    ],
    ['POST {authorized}/sync?confirm={unknown}', undefined, '404 not_found', 'There is no run with this ID.'],
    ['POST {authorized}/syncs/{run}/cancel', undefined, '400 invalid_request', 'This run has already ended.'],
    [
      'POST {pushed}/google/authorization-url',
      {},
      '400 invalid_request',
      'This directory is of type generic-scim-v2: only one of type google can be authorized.',
    ],
    [
      'POST {authorized}/google/exchange',
      { code: 'x', state: 'x' },
      '400 invalid_request state',
      'This state is invalid, or belongs to another directory. Start the authorization again.',
    ],
    ['POST {authorized}/google/exchange', {}, '400 invalid_request code', 'code is required.'],
    [
      'POST {authorized}/google/token',
      { access_token: '', refresh_token: 'x' },
      '400 invalid_request access_token',
      'access_token must not be empty.',
    ],
    [
      'POST {authorized}/google/token',
      { access_token: 'x', refresh_token: 'x', expiry_date: 'x' },
      '400 invalid_request expiry_date',
      'expiry_date must be a time in ms since 1970.',
    ],
    ['GET /api/scim/oauth/authorize', undefined, '400 invalid_request directory_id', 'directory_id is required.'],
    [
      'GET /api/scim/oauth/authorize?directoryId={unknown}',
      undefined,
      '404 not_found',
      'There is nothing to authorize here: the link is mistyped, or its directory was deleted.',
    ],
    [
      'GET /api/scim/oauth/authorize?directoryId={authorized}',
      undefined,
      '403 forbidden',
      'This directory is already authorized. To authorize it again, ask the person who sent you here for a new link.',
    ],
    [
      'GET /api/scim/oauth/authorize?directoryId={service}',
      undefined,
      '403 forbidden',
      'This directory is read by a service account and needs no authorization.',
    ],
    [
      'GET /api/scim/oauth/callback?error=access_denied',
      undefined,
      '400 invalid_request',
      'Access was not granted. Nothing was changed; begin again to grant it.',
    ],
    [
      'GET /api/scim/oauth/callback?error=server_error',
      undefined,
      '400 invalid_request',
      'Google did not grant access (server_error). Nothing was changed.',
    ],
    [
      'GET /api/scim/oauth/callback?state=x&code=x',
      undefined,
      '400 invalid_request state',
      'This state is invalid, or belongs to another directory. Start the authorization again.',
    ],
    ['GET /api/scim/oauth/callback?code=x', undefined, '400 invalid_request state', 'state is required.'],
  ])('%s', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

describe('of the delivery of a directory', () => {
  it('without a webhook, that is to skip events', async () => {
    const { id, scim } = await service.createDirectory();
    await scim('POST', '/Users', { userName: 'a' });
    expect(await send(`POST ${id}/resume`, { from: 'now' })).toEqual([
      '400 invalid_request from',
      'This directory has no webhook, so nothing was skipped: to skip the pending events, pause it, and then resume it with from “now”.',
    ]);
  });

  it('that has kept bodies only since they were deleted', async () => {
    await send('PATCH {unlogged}', { log_webhook_events: true });
    expect(await send('POST {unlogged}/replays', { mode: 'single', sequence: 1 })).toEqual([
      '400 invalid_request',
      'The bodies of these events were deleted after delivery, because log_webhook_events was not set at that time. It is set now: bodies of later events are kept.',
    ]);
  });
});

describe('of a page', () => {
  it('that would be too large', async () => {
    const { directory, push, untilDone } = await createOperated(service, receiver);
    await push('a', 'b', 'c');
    await untilDone();
    await service.db('webhook_batches').where({ directory_id: directory.id }).update({ bytes: 9_000_000 });
    expect(await send(`GET events?directory_id=${directory.id}`, undefined)).toEqual([
      '400 invalid_request limit',
      'This page would be too large: request 2 or fewer.',
    ]);
  });
});

const readMissing = async () => {
  const { status, body } = await service.api('GET', '/health/ready');
  return status === 503 && [body.error.code, body.error.message, body.error.missing];
};

describe('of readiness', () => {
  it('while the disk is almost full, which changes get too', async () => {
    const { scim } = await service.createDirectory();
    freeBytes = 999;
    const full = 'The disk is almost full: less than 1000 bytes are free (MIN_FREE_DISK_BYTES). Changes are rejected until there is room.';
    expect(await until(readMissing)).toEqual(['unavailable', full, [full]]);
    expect((await scim('POST', '/Users', { userName: 'ben' })).body.detail).toBe(full);
    freeBytes = Infinity;
    await until(async () => !(await readMissing()));
  });

  it('while the disk of the database is full', async () => {
    const disk = createDiskWatch({
      probeDatabase: () => Promise.resolve('full'),
      minFreeBytes: 0,
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

  it('with a database of another version', async () => {
    await service.db('knex_migrations').insert({ name: '999_future_breaking', batch: 9 });
    const message = 'The database has a schema that this version cannot use.';
    expect(await readMissing()).toEqual(['unavailable', message, [message]]);
    await service.db('knex_migrations').where({ name: '999_future_breaking' }).delete();
  });

  it('without Postgres, Temporal and a worker', async () => {
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

describe('of a request that can’t be read', () => {
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
  ])('%s', async (message, status, text) => {
    const { body, ...response } = await sendRaw(service.baseUrl, text);
    expect([response.status, body.error, body.detail]).toEqual([status, { code: 'invalid_request', message, status }, message]);
  });

  it('that does not arrive in time', async () => {
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
