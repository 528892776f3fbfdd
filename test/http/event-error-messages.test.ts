import { describe, expect, it } from '@jest/globals';
import { type MessageRow, useApiErrors } from '../support/api-errors.ts';

/** The error messages of deliveries, replays and the event feed. Other tests compare `code` and `field`. */

const errors = useApiErrors();
const { send } = errors;

describe('a request about delivery', () => {
  it.each<MessageRow>([
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
  ])('fails with its message: %s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

const time = (day: number) => `2026-01-0${day}T00:00:00Z`;

const replayOf = (request: object, of = 'pushed'): [string, unknown] => [`POST {${of}}/replays`, request];

describe('a request about a replay', () => {
  it.each<MessageRow>([
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
  ])('fails with its message: %s %j', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

describe('a request for the event feed', () => {
  it.each<MessageRow>([
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
      'events may name only user.created, user.updated, user.deleted, user.deactivated, user.reactivated, group.created, group.updated, group.deleted, group.user_added, group.user_removed.',
    ],
    ['GET /api/v1/events?types=user.created', undefined, '400 invalid_request types', 'Unknown parameter types. Did you mean events?'],
    ['GET /api/v1/events?directory_id={unknown}', undefined, '404 not_found', 'There is no such directory.'],
  ])('fails with its message: %s', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});

describe('a request about the delivery of a directory', () => {
  it('fails without a webhook, if it is to skip events', async () => {
    const { id, scim } = await errors.service.createDirectory();
    await scim('POST', '/Users', { userName: 'a' });
    expect(await send(`POST ${id}/resume`, { from: 'now' })).toEqual([
      '400 invalid_request from',
      'This directory has no webhook, so nothing was skipped: to skip the pending events, pause it, and then resume it with from “now”.',
    ]);
  });

  it('fails if bodies were deleted before the directory kept them', async () => {
    await send('PATCH {unlogged}', { log_webhook_events: true });
    expect(await send('POST {unlogged}/replays', { mode: 'single', sequence: 1 })).toEqual([
      '400 invalid_request',
      'The bodies of these events were deleted after delivery, because log_webhook_events was not set at that time. It is set now: bodies of later events are kept.',
    ]);
  });
});
