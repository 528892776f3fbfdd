import type { Context } from 'koa';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createFeedWatch } from '../../src/directory/feed/feed-watch.ts';
import { commitTimedOut } from '../../src/directory/intake/intake-entry.ts';
import { createHourlyChanges } from '../../src/directory/intake/hourly-changes.ts';
import { createWaitingMutations } from '../../src/directory/intake/waiting-mutations.ts';
import type { Mutation } from '../../src/directory/changes/mutation.ts';
import { quotaReached, type Quota, type Quotas } from '../../src/directory/quotas.ts';
import { AppError } from '../../src/errors.ts';
import { createFailedAuthenticationErrors } from '../../src/http/server/authenticate-api-key.ts';
import { rejectOverLimit } from '../../src/http/server/limits/limit-requests.ts';
import type { Exceeded } from '../../src/limits/failed-authentications.ts';
import type { Decision } from '../../src/limits/request.ts';
import { createBudget } from '../../src/scim/budget.ts';
import { createFairSemaphore } from '../../src/shared/fair-semaphore.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The errors of limits, for the JSON API and SCIM. Other tests compare the status, the code and the headers. */

const ctx = { set: () => undefined, state: {}, req: { socket: {} }, get: () => '' } as unknown as Context;
const patient = () => new AbortController().signal;

/** Repeats what is limited until it fails. */
async function repeat(attempt: () => unknown): Promise<void> {
  for (let count = 0; count < 3; count += 1) await Promise.race([attempt(), new Promise((resolve) => setImmediate(resolve))]);
}

function rejectRate(decision: Partial<Decision>) {
  const windows = [
    { name: 'burst', quota: 5, seconds: 1, remaining: 0, resetMs: 1_000 },
    { name: 'sustained', quota: 150, seconds: 60, remaining: 0, resetMs: 1_000 },
  ];
  return rejectOverLimit(ctx, { waitMs: 1_000, windows, ...decision } as unknown as Decision);
}

function failAuthentication(exceeded: Partial<Exceeded>) {
  const failures = {
    note: () => ({ exceeded: { waitMs: 1_000, perMinute: 5, ...exceeded } as Exceeded, isLogged: true }),
    rejectEarly: () => undefined,
  };
  const { countFailedAuthentication: count } = createFailedAuthenticationErrors({
    failures,
    refusals: { note: () => undefined },
    isTrustedProxy: () => false,
  });
  throw count(ctx, { at: 'scim', directoryId: undefined }, new AppError('unauthorized', 'A sentence.'));
}

function search(limits: object, directories = ['a', 'a', 'a']) {
  const searches = createFairSemaphore({
    name: 'searches',
    concurrency: 1,
    perDirectory: 1,
    maxWaiting: 9,
    maxWaitingPerDirectory: 9,
    ...limits,
  });
  const next = directories.values();
  return repeat(() => searches.enter(next.next().value!, patient()));
}

function waitForEvents(limits: object) {
  const watch = createFeedWatch({ store: { poll: () => Promise.resolve([]) } as never, ...limits });
  return repeat(() => watch.wait(undefined, { sequence: 0 }, { timeoutMs: 60_000, signal: patient() })).finally(watch.stop);
}

const waitingChange = { mutation: { directoryId: 'd' } as Mutation, arrival: 1, bytes: 2, memoryBytes: 2 };

function waitForLane(limits: object) {
  const waiting = createWaitingMutations({ maxGroup: 1, ...limits });
  waiting.add(waitingChange);
  waiting.add({ ...waitingChange });
}

function changeOften() {
  const hourly = createHourlyChanges(2, () => 0);
  const mutation = { directoryId: 'd' } as Mutation;
  const commit = hourly.count(() => Promise.resolve());
  const intake = hourly.limit({
    assertAccepts: () => undefined,
    submit: () => Promise.resolve(commit([mutation as never], () => undefined)) as never,
  });
  return repeat(() => intake.submit(mutation));
}

it.each<[string, () => unknown, string, string]>([
  [
    'requests of a project',
    () => rejectRate({ layer: 'project', bucket: '/scim/**' }),
    'rate_limited',
    'Too many requests in the bucket /scim/** of this project: it allows 5 per second and 150 per minute (LIMITS_PLAN, LIMITS_PROJECTS_FILE). Try again in 1 s.',
  ],
  [
    'requests of a source',
    () => rejectRate({ layer: 'volumetric', bucket: 'strangers' }),
    'rate_limited',
    'Too many requests from one source: the rule strangers allows 5 per second and 150 per minute (LIMITS_RULES_FILE). Try again in 1 s.',
  ],
  [
    'requests for a resource',
    () => rejectRate({ layer: 'inflight', bucket: 'directories' }),
    'rate_limited',
    'Another request for the same resource is in progress: the rule directories allows one at a time (LIMITS_RULES_FILE). Try again in 1 s.',
  ],
  [
    'failed authentications of a source',
    () => failAuthentication({ limit: 'source', setting: 'AUTH_FAILURES_PER_SOURCE' }),
    'rate_limited',
    'The credentials are invalid, and there were too many failed authentications from this address: AUTH_FAILURES_PER_SOURCE allows 5 a minute. Try again in 1 s.',
  ],
  [
    'failed authentications of a directory',
    () => failAuthentication({ limit: 'directory', setting: 'AUTH_FAILURES_PER_DIRECTORY' }),
    'rate_limited',
    'The credentials are invalid, and there were too many failed authentications for this directory: AUTH_FAILURES_PER_DIRECTORY allows 5 a minute. Try again in 1 s.',
  ],
  [
    'waiting searches of a directory',
    () => search({ maxWaitingPerDirectory: 1, setting: 'SEARCHES_WAITING_PER_DIRECTORY' }),
    'rate_limited',
    'At most 1 searches per directory may wait (SEARCHES_WAITING_PER_DIRECTORY); try again.',
  ],
  [
    'waiting searches of all',
    () => search({ maxWaiting: 1, settingForAll: '50 times SEARCHES_WAITING_PER_DIRECTORY' }),
    'unavailable',
    'At most 1 searches may wait in this process (50 times SEARCHES_WAITING_PER_DIRECTORY); try again.',
  ],
  [
    'waiting reads of all',
    () => search({ name: 'reads', maxWaiting: 1 }),
    'unavailable',
    'At most 1 reads may wait in this process (fixed limit); try again.',
  ],
  [
    'requests that wait for the same events',
    () => waitForEvents({ maxWaitingPerFeed: 2 }),
    'rate_limited',
    'At most 2 requests may wait for the same events (EVENT_WAITS_PER_DIRECTORY): try again later, or without wait.',
  ],
  [
    'requests that wait for events',
    () => waitForEvents({ maxWaiting: 2 }),
    'unavailable',
    'At most 2 requests may wait for events in this process (fixed limit): try again later, or without wait.',
  ],
  [
    'changes within an hour',
    changeOften,
    'rate_limited',
    'A directory may have at most 2 changes within an hour (CHANGES_PER_HOUR_PER_DIRECTORY; each 64 KiB of a change counts as one more). Nothing was changed; try again in 3600 s.',
  ],
  [
    'changes that wait in a process',
    () => createWaitingMutations({ maxGroup: 1, maxWaitingBytes: 1 }).add(waitingChange),
    'unavailable',
    'The changes that wait in this process may take at most 1 bytes of memory together (fixed limit); try again.',
  ],
  [
    'waiting changes of a directory',
    () => waitForLane({ maxWaitingPerDirectory: 1 }),
    'rate_limited',
    'At most 1 changes of a directory may wait (INTAKE_WAITING_PER_DIRECTORY); try again.',
  ],
  [
    'bytes of waiting changes of a directory',
    () => waitForLane({ maxWaitingBytesPerDirectory: 3 }),
    'rate_limited',
    'The waiting changes of a directory may take at most 3 bytes of memory together (INTAKE_WAITING_BYTES_PER_DIRECTORY); try again.',
  ],
  [
    'time for a change',
    () => Promise.reject(commitTimedOut()),
    'unavailable',
    'The change could not be committed in time (SCIM_TIMEOUT_MS); try again.',
  ],
])('a request beyond a limit names the limit: %s', async (_what, attempt, error, message) => {
  const failure = await Promise.resolve()
    .then(attempt)
    .then(
      () => undefined,
      (thrown: AppError) => thrown,
    );

  expect([failure?.code, failure?.message]).toEqual([error, message]);
});

describe('the limit of a directory', () => {
  const limits = new Proxy({} as Quotas, { get: () => 2 });
  it.each<[Quota, string]>([
    [
      'users',
      'The directory may have at most 2 users (MAX_USERS_PER_DIRECTORY). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      'groups',
      'The directory may have at most 2 groups (MAX_GROUPS_PER_DIRECTORY). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      'groupMembers',
      'The directory may have at most 2 members in a group (MAX_MEMBERS_PER_GROUP). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      'groupsPerMember',
      'The directory may have at most 2 groups with the same member (MAX_GROUPS_PER_MEMBER). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      'memberships',
      'The directory may have at most 2 memberships in all groups together (MAX_MEMBERSHIPS_PER_DIRECTORY). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      'resourceBytes',
      'The directory may have at most 2 bytes of users and groups (MAX_RESOURCE_BYTES_PER_DIRECTORY). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      'replays',
      'The directory may have at most 2 replays that are running or queued (MAX_REPLAYS_PER_DIRECTORY). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      'searches',
      'The directory may have at most 2 concurrent searches (SEARCHES_PER_DIRECTORY). Remove some, or ask the operator of this service for a higher limit.',
    ],
  ])('rejects with its message: %s', (quota, message) => {
    const { detail } = quotaReached({ limits, own: {} }, quota);
    expect(detail).toBe(message);
  });
});

it.each<[string, () => void, string]>([
  [
    'steps',
    () => createBudget({ maxSteps: 1, maxBytes: 1 }).spend(2),
    'The request is too expensive: it would take more than 1 steps (MAX_MUTATION_STEPS). Send fewer operations, or operations on smaller resources and shorter lists. Nothing was changed.',
  ],
  [
    'bytes',
    () => createBudget({ maxSteps: 1, maxBytes: 1 }).hold(2),
    'The request would read or write more than 1 bytes of resources and events (MAX_MUTATION_BYTES). Send fewer operations, or operations on smaller resources. Nothing was changed.',
  ],
])('a change beyond its budget names the limit: %s', async (_what, spend, message) => {
  const text = await Promise.resolve()
    .then(spend)
    .then(
      () => '',
      (thrown: Error) => thrown.message,
    );
  expect(text).toBe(message);
});

describe('a decision for a gateway', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ LIMITS_PLAN: 'developer', TRUSTED_PROXIES: '127.0.0.0/8' }, { deliver: false });
  });
  afterAll(() => service.stop());

  it.each([
    [
      { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/a', 'x-original-uri': '/b' },
      'The path is given twice, with different values: the gateway must drop the headers that it does not set.',
    ],
    [
      { 'x-forwarded-method': 'GET', 'x-original-method': 'PUT', 'x-forwarded-uri': '/a' },
      'The method is given twice, with different values: the gateway must drop the headers that it does not set.',
    ],
    [
      { 'x-forwarded-uri': '/a' },
      'Specify the method and path of the request: as /api/v1/limits/decision/<path>, or from a trusted proxy as X-Forwarded-Method and X-Forwarded-Uri.',
    ],
  ])('explains %j', async (headers, message) => {
    const { body } = await service.api('GET', '/api/v1/limits/decision', undefined, headers);
    expect(body.error.message).toBe(message);
  });
});
