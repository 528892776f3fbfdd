import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { activityInfo } from '@temporalio/activity';
import { AppError } from '../../src/errors.ts';
import { ada, shareTestService, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const workflowsOf = async ({ id }: TestDirectory) => {
  const found = [];
  for await (const workflow of service.client.workflow.list({ query: `DirectoryIds = '${id}' and WorkflowType = 'mutationGroup'` }))
    found.push(workflow);
  return found;
};

it('runs a lone change in its own workflow, which Temporal finds by the directory', async () => {
  const lone = await service.createDirectory();
  await lone.scim('POST', '/Users', ada);
  await until(async () => (await workflowsOf(lone)).some(({ status }) => status.name === 'COMPLETED'));
  const [workflow] = await workflowsOf(lone);
  const { events } = await service.client.workflow.getHandle(workflow!.workflowId).fetchHistory();
  const activities = events!.filter((event) => event.activityTaskScheduledEventAttributes);
  expect(activities).toEqual([]);
  expect(events!.length).toBeLessThanOrEqual(7);
});

it('lets concurrent changes share workflows, each with its own response', async () => {
  const busy = await service.createDirectory();
  const names = Array.from({ length: 60 }, (_, index) => `user${index % 50}`);
  const responses = await Promise.all(names.map((userName, index) => busy.scim('POST', '/Users', { userName, title: `${index}` })));
  expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
    ...Array.from({ length: 50 }, () => 201),
    ...Array.from({ length: 10 }, () => 409),
  ]);
  expect((await busy.scim('GET', '/Users?count=0')).body.totalResults).toBe(50);
  const events = await service.db('events').where({ directory_id: busy.id }).orderBy('sequence').pluck('sequence');
  expect(events).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  await until(async () => (await workflowsOf(busy)).length > 0);
  expect((await workflowsOf(busy)).length).toBeLessThan(30);
});

it('creates one user for identical concurrent requests', async () => {
  const twice = await service.createDirectory();
  const responses = await Promise.all(Array.from({ length: 5 }, () => twice.scim('POST', '/Users', ada)));
  const made = responses.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThan(0);
  expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
  expect((await twice.scim('GET', '/Users')).body.totalResults).toBe(1);
});

it('accepts concurrent changes of more directories than one workflow can name', async () => {
  const directories: TestDirectory[] = [];
  while (directories.length < 70) directories.push(await service.createDirectory());
  for (const userName of ['first', 'second']) {
    const responses = await Promise.all(directories.map((directory) => directory.scim('POST', '/Users', { userName })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  }
});

it('applies the changes of the others in a group whenever Postgres rejects what one directory writes', async () => {
  const [poison, ...others] = await Promise.all(Array.from({ length: 6 }, () => service.createDirectory()));
  await service.db.raw(`alter table users add constraint poison check (directory_id <> '${poison!.id}') not valid`);
  try {
    for (const userName of ['first', 'second', 'third']) {
      const responses = await Promise.all([poison!, ...others].map((directory) => directory.scim('POST', '/Users', { userName })));
      expect(responses.map(({ status }) => status)).toEqual([500, 201, 201, 201, 201, 201]);
    }
  } finally {
    await service.db.raw('alter table users drop constraint poison');
  }
  for (const { id } of others)
    expect(await service.db('events').where({ directory_id: id }).orderBy('sequence').pluck('sequence')).toEqual([1, 2, 3]);
  expect(await service.db('events').where({ directory_id: poison!.id })).toEqual([]);
});

it('responds with 503 and Retry-After while a directory is locked, and applies the change once it is free', async () => {
  const impatient = await startTestService({ SCIM_TIMEOUT_MS: '4000' });
  try {
    const held = await impatient.createDirectory();
    const other = await impatient.createDirectory();
    const holder = await impatient.db.transaction();
    await holder('directories').where({ id: held.id }).forUpdate().first();
    const late = await held.scim('POST', '/Users', ada);
    expect(late).toMatchObject({ status: 503, body: { status: '503' } });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await other.scim('POST', '/Users', { userName: 'other-tenant' })).status).toBe(201);
    await holder.rollback();
    await until(async () => (await held.scim('GET', '/Users')).body.totalResults === 1);
    expect(await impatient.db('events').where({ directory_id: held.id })).toHaveLength(1);
  } finally {
    await impatient.stop();
  }
});

it('retries without a timer in the core of Temporal for each attempt, which would outlive the attempt and then the worker', async () => {
  const limits: number[] = [];
  let starts = 0;
  const failing = await startTestService(
    {},
    {
      replaceActivityDeps: (deps) => ({
        ...deps,
        changes: {
          ...deps.changes,
          async change(...given) {
            starts += 1;
            // The first attempt takes over the failure of the head start, which is outside of an activity.
            if (starts > 1) limits.push(activityInfo().startToCloseTimeoutMs);
            if (starts < 3) throw new AppError('unavailable', 'Postgres is away.');
            return deps.changes.change(...given);
          },
        },
      }),
    },
  );
  try {
    expect((await (await failing.createDirectory()).scim('POST', '/Users', ada)).status).toBe(201);
  } finally {
    await failing.stop();
  }
  // Without `startToCloseTimeout`, this is the limit of all attempts together.
  expect(limits).toEqual([30 * 86_400_000, 30 * 86_400_000]);
});
