import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createApplyToDirectory } from '../../src/directory/changes/apply-to-directory.ts';
import type { Change } from '../../src/directory/changes/mutation.ts';
import { isPublicId, toGivenIds, toResourceKey } from '../../src/directory/resources/resource-ids.ts';
import { newId } from '../../src/ids.ts';
import { createLogger } from '../../src/logger.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { readFeed } from '../support/feed-requests.ts';
import { createOperated, type Operated } from '../support/operate.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { ada, shareTestService, type ServiceResponse, type TestDirectory, type TestService } from '../support/service.ts';
import { randomRuns } from '../support/random-runs.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());
const receiver = useReceiver();

const api = (path: string) => service.api('GET', `/api/v1/directory-sync${path}`);

/** Creates resources with given IDs, as an import does. Deliveries begin with the next pushed change. */
async function importInto({ id: directoryId }: { id: string }, ...changes: Change[]): Promise<unknown[]> {
  const apply = createApplyToDirectory({
    changes: createChangeStore(service.db, { wakes: false }),
    onQuotaReached: () => undefined,
    log: createLogger('silent'),
  });
  const { outcomes } = await apply(
    directoryId,
    changes.map((change) => ({ id: newId(), directoryId, ...change })),
  );
  return outcomes.map(({ error }) => error?.detail);
}

const userWith = (id: string, resource: Record<string, unknown> = {}): Change => ({
  kind: 'createUser',
  ...toGivenIds(id),
  resource: { schemas: ada.schemas, userName: newId(), ...resource },
});
const groupWith = (id: string, members: string[] = []): Change => ({
  kind: 'createGroup',
  ...toGivenIds(id),
  resource: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: newId() },
  members: members.map((value) => ({ value })),
});

const known = [
  '108234567890123456789',
  '03whwml44ez5yj1',
  '3f0c9a4be1d27788a0b1c2d3e4f5061728394a5b',
  '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  '7c9e6679-7425-80de-944b-e07fc1f90ae7',
  'ada@acme.example',
  'a%2Fb?c=d#e',
  '"quoted" \'id\'',
  ' spaces ',
  '...',
  'é😀',
  '__proto__',
  'Users',
  '0',
];
const anyId = fc
  .oneof(fc.constantFrom(...known), fc.uuid(), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }))
  .filter(isPublicId);
const someIds = fc.uniqueArray(anyId, { minLength: 4, maxLength: 4, selector: toResourceKey });
const quote = (id: string) => JSON.stringify(id);
const pathOf = (type: 'Users' | 'Groups', id: string) => `/${type}/${encodeURIComponent(id)}`;
const found = ({ body }: ServiceResponse): string[] => body.Resources.map(({ id }: { id: string }) => id);
const valuesOf = ({ body }: ServiceResponse): string[] => body.members.map(({ value }: { value: string }) => value);

it('shows and finds users and groups by the IDs with which they were imported, whatever they look like', async () => {
  let directories = 0;
  await fc.assert(
    fc.asyncProperty(someIds, async ([one, two, staff, crew]) => {
      const operated = await createOperated(service, receiver);
      await expectEverywhere(operated, { one: one!, two: two!, staff: staff!, crew: crew! });
      directories += 1;
    }),
    { numRuns: randomRuns(12), endOnFailure: true, examples: [[known.slice(0, 4)], [known.slice(4, 8)], [known.slice(8, 12)]] },
  );
  expect(directories).toBe(randomRuns(12));
}, 120_000);

async function expectEverywhere(operated: Operated, { one, two, staff, crew }: Record<'one' | 'two' | 'staff' | 'crew', string>) {
  const { directory, untilDone, replay } = operated;
  const seen: string[] = [];
  const scim = async (method: string, path: string, body?: unknown) => {
    const response = await directory.scim(method, path, body);
    seen.push(JSON.stringify(response.body ?? null));
    return response;
  };
  const read = async (path: string) => {
    const response = await api(`${path}?directory_id=${directory.id}`);
    seen.push(JSON.stringify(response.body));
    return response.body.data;
  };
  const list = async (type: 'Users' | 'Groups', filter: string) =>
    found(await scim('GET', `/${type}?filter=${encodeURIComponent(filter)}`));
  const patch = (group: string, ...Operations: object[]) => scim('PATCH', `${pathOf('Groups', group)}?attributes=members`, { Operations });

  expect(await importInto(directory, userWith(one), userWith(two), groupWith(crew), groupWith(staff, [one, 'later']))).toEqual(
    Array.from({ length: 4 }),
  );

  const { status, body: user } = await scim('GET', pathOf('Users', one));
  expect([status, user.id]).toEqual([200, one]);
  expect(user.groups).toEqual([{ value: staff, $ref: expect.any(String), display: expect.any(String), type: 'direct' }]);
  for (const [url, id] of [
    [user.meta.location, one],
    [user.groups[0].$ref, staff],
  ]) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${directory.secret}` } });
    expect([response.status, ((await response.json()) as { id: string }).id]).toEqual([200, id]);
  }

  // Changes, and members that were not read together with their events.
  const changed = await scim('PATCH', pathOf('Users', one), { Operations: [{ op: 'replace', path: 'active', value: false }] });
  expect([changed.status, changed.body.id, changed.body.groups[0].value]).toEqual([200, one, staff]);
  expect(valuesOf(await patch(staff, { op: 'add', path: 'members', value: [{ value: two }, { value: crew }] }))).toEqual([
    one,
    two,
    crew,
    'later',
  ]);
  expect(valuesOf(await scim('GET', pathOf('Groups', staff)))).toEqual([one, two, crew, 'later']);

  expect(await list('Users', `id eq ${quote(one)}`)).toEqual([one]);
  expect(await list('Users', `id sw ${quote(one)} and id ew ${quote(one)} and id co ${quote(one)}`)).toEqual([one]);
  expect(new Set(await list('Users', `groups.value eq ${quote(staff)}`))).toEqual(new Set([one, two]));
  expect(await list('Groups', `id eq ${quote(staff)}`)).toEqual([staff]);
  expect(await list('Groups', `members[value eq ${quote(crew)}]`)).toEqual([staff]);
  expect(await list('Groups', `members.value eq ${quote(one)}`)).toEqual([staff]);
  const sorted = found(await scim('GET', '/Users?sortBy=id'));
  expect(sorted).toEqual([one, two].toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))));

  expect((await read(`/users/${encodeURIComponent(one)}`)).raw).toMatchObject({ id: one, active: false });
  const whole = await read(`/groups/${encodeURIComponent(staff)}`);
  expect([whole.id, whole.raw.id, whole.members]).toEqual([staff, staff, [one, two].map((id) => ({ group_id: staff, user_id: id }))]);
  expect(await read(`/groups/${encodeURIComponent(staff)}/members`)).toEqual([{ user_id: two }, { user_id: one }]);
  expect(await read(`/groups/${encodeURIComponent(staff)}/nested-groups`)).toEqual([{ id: crew, name: expect.any(String) }]);
  expect(new Set((await read('/users')).map(({ id }: { id: string }) => id))).toEqual(new Set([one, two]));

  const removed = { op: 'remove', path: `members[value eq ${quote(crew)} and type eq "Group"]` };
  expect(valuesOf(await patch(staff, removed))).toEqual([one, two, 'later']);
  expect(valuesOf(await patch(staff, { op: 'remove', path: `members[value eq ${quote(two)}]` }))).toEqual([one, 'later']);
  const bulk = await scim('POST', '/Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: [{ method: 'DELETE', path: pathOf('Users', two) }],
  });
  expect(bulk.body.Operations[0].status).toBe('204');
  expect((await scim('DELETE', pathOf('Users', one))).status).toBe(204);
  expect((await scim('GET', pathOf('Users', one))).status).toBe(404);

  await untilDone();
  const { id } = directory;
  const ofDirectory = () => receiver.received.filter(({ event }) => event.directory_id === id);
  const delivered = ofDirectory();
  const inShort = delivered.map(({ event: { event, data } }) => [event, data.id, data.raw.id, data.group?.id ?? null]);
  expect(inShort).toEqual([
    ['user.created', one, one, null],
    ['user.created', two, two, null],
    ['group.created', crew, crew, null],
    ['group.created', staff, staff, null],
    ['group.user_added', one, one, staff],
    ['user.updated', one, one, null],
    ['group.updated', staff, staff, null],
    ['group.user_added', two, two, staff],
    ['group.updated', staff, staff, null],
    ['group.user_removed', two, two, staff],
    ['user.deleted', two, two, null],
    ['group.user_removed', one, one, staff],
    ['user.deleted', one, one, null],
  ]);
  const { events } = await readFeed(service, { directory_id: id });
  expect(events).toEqual(delivered.map(({ event }) => event));
  await replay({ mode: 'range', from_sequence: 1, to_sequence: inShort.length });
  const replayed = ofDirectory().slice(inShort.length);
  expect(replayed.map(({ event }) => event)).toEqual(delivered.map(({ event }) => ({ ...event, reason: 'replay' })));

  seen.push(...delivered.map(({ text }) => text), JSON.stringify(events));
  const derived = [one, two, staff, crew].map(toResourceKey).filter((key) => ![one, two, staff, crew].includes(key) && key[14] === '8');
  for (const key of derived) expect(seen.filter((text) => text.includes(key))).toEqual([]);
}

it('keeps directories with the same ID apart', async () => {
  const id = '108234567890123456789';
  const owner = { tenant: 'twins', product: 'app' };
  const [one, other] = [await service.createDirectory(owner), await service.createDirectory({ ...owner, product: 'other' })];
  await importInto(one, userWith(id, { displayName: 'one' }), groupWith('team', [id]));
  await importInto(other, userWith(id, { displayName: 'other' }), groupWith('team'));
  const nameIn = async (directory: TestDirectory) => (await directory.scim('GET', `/Users/${id}`)).body.displayName;
  expect([await nameIn(one), await nameIn(other)]).toEqual(['one', 'other']);
  expect((await other.scim('GET', '/Groups/team')).body.members).toEqual([]);
  expect((await api(`/users/${id}?tenant=twins&product=other`)).body.data.raw.displayName).toBe('other');
  expect((await one.scim('DELETE', `/Users/${id}`)).status).toBe(204);
  expect((await one.scim('GET', `/Users/${id}`)).status).toBe(404);
  expect((await api(`/users/${id}?tenant=twins&product=app`)).status).toBe(404);
  expect(await nameIn(other)).toBe('other');
});

it('adds an imported user to the groups that wait for its ID', async () => {
  const directory = await service.createDirectory();
  const { body: group } = await directory.scim('POST', '/Groups', { displayName: 'team', members: [{ value: 'G-77' }] });
  await importInto(directory, userWith('G-77'));
  const { body } = await directory.scim('GET', `/Groups/${group.id}`);
  expect(body.members).toEqual([{ value: 'G-77', $ref: expect.stringMatching(/Users\/G-77$/), type: 'User' }]);
});

it('finds a UUID in capitals and in lower case, and tells other IDs apart by their case', async () => {
  const directory = await service.createDirectory();
  const uuid = '7C9E6679-7425-40DE-944B-E07FC1F90AE7';
  await importInto(directory, userWith(uuid), userWith('abc'), userWith('ABC'));
  for (const id of [uuid, uuid.toLowerCase()]) {
    expect((await directory.scim('GET', `/Users/${id}`)).body.id).toBe(uuid.toLowerCase());
    expect((await api(`/users/${id}?directory_id=${directory.id}`)).body.data.id).toBe(uuid.toLowerCase());
  }
  for (const id of ['abc', 'ABC']) expect((await directory.scim('GET', `/Users/${id}`)).body.id).toBe(id);
  expect((await directory.scim('GET', '/Users/Abc')).status).toBe(404);
});

it('rejects an ID that a user or group of the directory has', async () => {
  const directory = await service.createDirectory();
  const { body: pushed } = await directory.scim('POST', '/Users', { userName: 'ada' });
  const taken = 'A user or group with this ID exists already.';
  expect(await importInto(directory, userWith('1'), groupWith('1'), groupWith('2'), userWith('2'), userWith('1'))).toEqual([
    undefined,
    taken,
    undefined,
    taken,
    taken,
  ]);
  expect(await importInto(directory, userWith('1'), userWith(pushed.id), userWith(pushed.id.toUpperCase()))).toEqual([taken, taken, taken]);
});

it.each(['', '.', '..', 'a/b', 'a\\b', 'a\nb', '\ud800', 'x'.repeat(101), 'a bulkId:1'])('allows no ID like %j', (id) => {
  expect(() => toGivenIds(id)).toThrow('An ID must have 1 to 100 characters');
});

it('finds nothing under an unknown ID, whatever it looks like', async () => {
  const directory = await service.createDirectory();
  for (const id of ['108234567890123456789', newId(), 'a%2Fb', '%00', 'x'.repeat(300), toResourceKey('108234567890123456789')]) {
    for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { userName: 'x' }]] as const)
      expect([method, id, (await directory.scim(method, `/Users/${id}`, body)).status]).toEqual([method, id, 404]);
    for (const type of ['users', 'groups'])
      expect([id, (await api(`/${type}/${id}?directory_id=${directory.id}`)).status]).toEqual([id, 404]);
  }
});
