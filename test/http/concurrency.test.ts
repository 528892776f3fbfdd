import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shareTestService, toTestDirectory, type ServiceResponse, type TestDirectory, type TestService } from '../support/service.ts';

/** Races are rare: set CONCURRENCY_ROUNDS for more rounds. */
const rounds = Array.from({ length: Number(process.env['CONCURRENCY_ROUNDS'] ?? 1) }, (_, index) => index + 1);

let service: TestService;
let another: Awaited<ReturnType<TestService['startAnother']>>;
beforeAll(async () => {
  service = await shareTestService();
  another = await service.startAnother();
});
afterAll(async () => {
  await another.stop();
  await service.stop();
});

/** One directory, whose requests alternate between the services. */
type Doors = [TestDirectory, ...TestDirectory[]];

async function createDirectory(by: number): Promise<Doors> {
  const directory = await service.createDirectory();
  const { id, secret, webhookSecret } = directory;
  const behind = toTestDirectory(another.baseUrl, { id, scim: { secret }, webhook: { secret: webhookSecret } });
  return by === 1 ? [directory] : [directory, behind];
}

type Request = [method: string, path: string, body?: object, headers?: Record<string, string>];

const send = (doors: Doors, requests: Request[]): Promise<ServiceResponse[]> =>
  Promise.all(requests.map(([method, path, body, headers], index) => doors[index % doors.length]!.scim(method, path, body, headers)));

const times = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index));

async function createUsers(doors: Doors, count: number): Promise<string[]> {
  const requests = times(count, (index): Request => ['POST', '/Users', { userName: `user-${index}` }]);
  return (await send(doors, requests)).map(({ body }) => body.id as string);
}

async function createGroup([{ scim }]: Doors, displayName: string, members: string[] = []): Promise<string> {
  return (await scim('POST', '/Groups', { displayName, members: members.map((value) => ({ value })) })).body.id;
}

const patch = (...Operations: object[]) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });
const adding = (value: string) => patch({ op: 'add', path: 'members', value: [{ value }] });
const removing = (value: string) => patch({ op: 'remove', path: `members[value eq "${value}"]` });

const statuses = (responses: ServiceResponse[]) => responses.map(({ status }) => status).sort((one, other) => one - other);

/** All events of a directory, and whether their sequences are without gaps. */
async function readEvents([{ id }]: Doors) {
  const rows = await service.db('events').where({ directory_id: id }).orderBy('sequence');
  const { last_sequence } = await service.db('directories').where({ id }).first('last_sequence');
  const events = rows.map(({ type, data }) => ({ type: type as string, id: data.id as string }));
  const isGapless = rows.every(({ sequence }, index) => Number(sequence) === index + 1) && Number(last_sequence) === rows.length;
  return { events, isGapless, count: (wanted: string) => events.filter(({ type }) => type === wanted).length };
}

const countRows = async ([{ id }]: Doors, table: string, where = {}) =>
  (await service.db(table).where({ directory_id: id, ...where })).length;

const membersOf = async (doors: Doors, group: string): Promise<string[]> => {
  const { body } = await doors.at(-1)!.scim('GET', `/Groups/${group}`);
  return body.members.map(({ value }: { value: string }) => value).sort();
};

describe.each(rounds)('in round %i', () => {
  describe.each([
    ['one service', 1],
    ['two services', 2],
  ])('with concurrent requests to %s', (_title, by) => {
    it('loses none of fifty members that are added one by one', async () => {
      const doors = await createDirectory(by);
      const users = await createUsers(doors, 50);
      const group = await createGroup(doors, 'everybody');
      const responses = await send(
        doors,
        users.map((user) => ['PATCH', `/Groups/${group}`, adding(user)]),
      );
      expect(new Set(statuses(responses))).toEqual(new Set([204]));
      expect(await membersOf(doors, group)).toEqual(users.toSorted());
      const { isGapless, count } = await readEvents(doors);
      expect([isGapless, count('group.user_added'), count('group.user_removed')]).toEqual([true, 50, 0]);
      // Each of them got a different version.
      expect(new Set(responses.map(({ headers }) => headers.get('etag'))).size).toBe(50);
      expect((await doors[0].scim('GET', `/Groups/${group}`)).headers.get('etag')).toBe('W/"51"');
    });

    it('adds and removes members concurrently, each once, although each is sent twice', async () => {
      const doors = await createDirectory(by);
      const users = await createUsers(doors, 20);
      const [leaving, coming] = [users.slice(0, 10), users.slice(10)];
      const group = await createGroup(doors, 'changing', leaving);
      const requests = times(10, (index) => [removing(leaving[index]!), adding(coming[index]!)]).flat();
      const responses = await send(
        doors,
        [...requests, ...requests].map((body) => ['PATCH', `/Groups/${group}`, body]),
      );
      expect(new Set(statuses(responses))).toEqual(new Set([204]));
      expect(await membersOf(doors, group)).toEqual(coming.toSorted());
      const { isGapless, count } = await readEvents(doors);
      expect([isGapless, count('group.user_added'), count('group.user_removed')]).toEqual([true, 20, 10]);
      expect((await doors[0].scim('GET', `/Groups/${group}`)).headers.get('etag')).toBe('W/"21"');
    });

    it.each([
      ['/Users', 'users', 'user.created', { userName: 'Ada@example.com', externalId: 'ada' }],
      ['/Groups', 'groups', 'group.created', { displayName: 'Engineers', externalId: 'engineers' }],
    ])('creates one resource at %s when the same is posted five times', async (path, table, event, body) => {
      const doors = await createDirectory(by);
      const responses = await send(
        doors,
        times(5, (): Request => ['POST', path, body]),
      );
      const made = responses.filter(({ status }) => status === 201);
      expect(made.length).toBeGreaterThan(0);
      expect(new Set(made.map((response) => response.body.id as string)).size).toBe(1);
      for (const { status, body: error } of responses.filter((response) => !made.includes(response)))
        expect([status, error.scimType]).toEqual([409, 'uniqueness']);
      expect(await countRows(doors, table)).toBe(1);
      expect((await readEvents(doors)).events).toEqual([{ type: event, id: made[0]!.body.id }]);
    });

    it('lets one of several changes of the same version succeed', async () => {
      const doors = await createDirectory(by);
      const [user] = await createUsers(doors, 1);
      const changes = times(8, (index) => ({ userName: 'user-0', title: `title ${index}` }));
      const responses = await send(
        doors,
        changes.map((body, index) =>
          index % 2
            ? ['PUT', `/Users/${user}`, body, { 'if-match': 'W/"1"' }]
            : ['PATCH', `/Users/${user}`, patch({ op: 'replace', value: { title: body.title } }), { 'if-match': 'W/"1"' }],
        ),
      );
      expect(statuses(responses)).toEqual([200, ...times(7, () => 412)]);
      const winner = changes[responses.findIndex(({ status }) => status === 200)]!;
      const stored = await doors.at(-1)!.scim('GET', `/Users/${user}`);
      expect([stored.headers.get('etag'), stored.body.title]).toEqual(['W/"2"', winner.title]);
      expect((await readEvents(doors)).events.map(({ type }) => type)).toEqual(['user.created', 'user.updated']);
    });

    it('deletes once', async () => {
      const doors = await createDirectory(by);
      const [user] = await createUsers(doors, 1);
      const responses = await send(
        doors,
        times(6, (): Request => ['DELETE', `/Users/${user}`]),
      );
      expect(statuses(responses)).toEqual([204, ...times(5, () => 404)]);
      expect((await readEvents(doors)).events.map(({ type }) => type)).toEqual(['user.created', 'user.deleted']);
    });

    it('gives a name to one of several concurrent requests', async () => {
      const doors = await createDirectory(by);
      const users = await createUsers(doors, 4);
      const responses = await send(
        doors,
        users.map((user) => ['PATCH', `/Users/${user}`, patch({ op: 'replace', path: 'userName', value: 'Countess' })]),
      );
      expect(statuses(responses)).toEqual([200, 409, 409, 409]);
      expect(await countRows(doors, 'users', { user_name_key: 'countess' })).toBe(1);
      expect((await readEvents(doors)).count('user.updated')).toBe(1);
    });

    it('leaves no deleted user in a group to which it was being added', async () => {
      const doors = await createDirectory(by);
      const users = await createUsers(doors, 12);
      const groups = [await createGroup(doors, 'one'), await createGroup(doors, 'two')];
      const responses = await send(
        doors,
        users.flatMap((user, index) => [
          ['PATCH', `/Groups/${groups[0]}`, adding(user)],
          ['DELETE', `/Users/${user}`],
          ['PATCH', `/Groups/${groups[index % 2]}`, adding(user)],
        ]),
      );
      expect(new Set(statuses(responses))).toEqual(new Set([204]));
      expect([await countRows(doors, 'users'), await countRows(doors, 'group_members')]).toEqual([0, 0]);
      const { events, isGapless, count } = await readEvents(doors);
      expect([isGapless, count('group.user_added')]).toEqual([true, count('group.user_removed')]);
      const last = new Map(events.map(({ type, id }) => [id, type]));
      expect(users.map((user) => last.get(user))).toEqual(users.map(() => 'user.deleted'));
    });

    it('leaves no members of a deleted group to which they were being added', async () => {
      const doors = await createDirectory(by);
      const users = await createUsers(doors, 12);
      const group = await createGroup(doors, 'short-lived');
      const responses = await send(
        doors,
        users.flatMap((user, index) => [
          ['PATCH', `/Groups/${group}`, adding(user)],
          ...(index === 5 ? [['DELETE', `/Groups/${group}`] as Request] : []),
        ]),
      );
      expect(statuses(responses).filter((status) => status !== 204 && status !== 404)).toEqual([]);
      expect([await countRows(doors, 'group_members'), await countRows(doors, 'pending_members')]).toEqual([0, 0]);
      const { events, isGapless, count } = await readEvents(doors);
      expect([isGapless, count('group.user_added')]).toEqual([true, count('group.user_removed')]);
      expect(events.at(-1)).toEqual({ type: 'group.deleted', id: group });
    });

    it('resolves members who are created while they are added by name', async () => {
      const doors = await createDirectory(by);
      const names = times(12, (index) => `user-${index}`);
      const group = await createGroup(doors, 'expecting');
      const responses = await send(
        doors,
        names.flatMap((userName) => [
          ['POST', '/Users', { userName }],
          ['PATCH', `/Groups/${group}`, adding(userName)],
        ]),
      );
      expect(new Set(statuses(responses))).toEqual(new Set([201, 204]));
      const users = responses.flatMap(({ status, body }) => (status === 201 ? (body.id as string) : []));
      expect(await membersOf(doors, group)).toEqual(users.toSorted());
      expect(await countRows(doors, 'pending_members')).toBe(0);
      const { isGapless, count } = await readEvents(doors);
      expect([isGapless, count('user.created'), count('group.user_added')]).toEqual([true, 12, 12]);
    });
  });
});
