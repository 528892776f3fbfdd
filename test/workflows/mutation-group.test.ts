import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { activityInfo } from '@temporalio/activity';
import { AppError } from '../../src/errors.ts';
import { setRoles } from '../support/roles.ts';
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

interface Prepared {
  directory: TestDirectory;
  userIds: string[];
  groupId: string;
}
const rounds = [0, 1, 2];
const patch = (operation: object) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] });
const createUser = ({ directory }: Prepared, round: number) => directory.scim('POST', '/Users', { userName: `new-${round}` });
const setNick = ({ directory, userIds }: Prepared, round: number) =>
  directory.scim('PATCH', `/Users/${userIds[0]}`, patch({ op: 'replace', path: 'nickName', value: `nick ${round}` }));
const addMember = ({ directory, userIds, groupId }: Prepared, round: number) =>
  directory.scim('PATCH', `/Groups/${groupId}`, patch({ op: 'add', path: 'members', value: [{ value: userIds[round] }] }));
const roles = { groups: [{ group_name: 'Admins', role: 'admin' }] };

it.each([
  { what: 'new users', table: 'users', change: createUser, status: 201, type: 'user.created' },
  { what: 'changed users', table: 'users', change: setNick, status: 200, type: 'user.updated' },
  { what: 'new members', table: 'group_members', change: addMember, status: 204, type: 'group.user_added' },
  {
    what: 'new members whose roles change',
    table: 'users_to_recompute',
    change: addMember,
    status: 204,
    type: 'group.user_added',
    hasRoles: true,
  },
])(
  'applies the changes of the others in a group whenever Postgres rejects what one directory writes: $what',
  async ({ table, change, status, type, hasRoles = false }) => {
    const all = await Promise.all(Array.from({ length: 6 }, () => prepare({ hasRoles })));
    const poison = all[0]!.directory.id;
    const sequencesOf = ({ directory }: Prepared) =>
      service.db('events').where({ directory_id: directory.id, type }).orderBy('sequence').pluck<number[]>('sequence');
    const before = await Promise.all(all.map(sequencesOf));
    await service.db.raw(`alter table ${table} add constraint poison check (directory_id <> '${poison}') not valid`);
    try {
      for (const round of rounds) {
        const responses = await Promise.all(all.map((prepared) => change(prepared, round)));
        expect(responses.map((response) => response.status)).toEqual([500, ...Array.from({ length: 5 }, () => status)]);
      }
    } finally {
      await service.db.raw(`alter table ${table} drop constraint poison`);
    }
    const after = await Promise.all(all.map(sequencesOf));
    expect(after.map(({ length }, index) => length - before[index]!.length)).toEqual([
      0,
      ...Array.from({ length: 5 }, () => rounds.length),
    ]);
  },
);

/** A directory with three users and an empty group. */
async function prepare({ hasRoles }: { hasRoles: boolean }): Promise<Prepared> {
  const directory = await service.createDirectory();
  const userIds: string[] = [];
  for (const round of rounds) userIds.push((await directory.scim('POST', '/Users', { userName: `user-${round}` })).body.id);
  const groupId = (await directory.scim('POST', '/Groups', { displayName: 'Admins' })).body.id as string;
  if (hasRoles) await setRoles(service, directory.id, roles);
  return { directory, userIds, groupId };
}

it('responds with 503 and Retry-After while a directory is locked, and applies the change once it is free', async () => {
  const impatient = await startTestService({ SCIM_TIMEOUT_MS: '8000' });
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
