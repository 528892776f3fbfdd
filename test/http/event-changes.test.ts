import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOperated } from '../support/operate.ts';
import { shareTestService, ada, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());
const receiver = useReceiver();

const untilReceived = (count: number) => until(() => receiver.received.length >= count && receiver.received.map(({ event }) => event));
const feedOf = async (id: string) => (await service.api('GET', `/api/v1/events?directory_id=${id}`)).body.data;
const facts = ({ event, reason, changes, previous_attributes: previous }: Record<string, unknown>) => [event, reason, changes, previous];
const deactivate = { Operations: [{ op: 'replace', path: 'active', value: false }] };

it('says what changed in the webhook, on the feed and in a replay, beside the data that Polis has', async () => {
  const operated = await createOperated(service, receiver);
  const { scim, id } = operated.directory;
  const user = (await scim('POST', '/Users', ada)).body;
  const echo = { ...ada, id: user.id, meta: user.meta, groups: [], active: true };
  await scim('PUT', `/Users/${user.id}`, { ...echo, title: 'Countess' });
  await scim('PATCH', `/Users/${user.id}`, deactivate);
  await scim('DELETE', `/Users/${user.id}`);
  const events = await untilReceived(4);
  expect(events.map(facts)).toEqual([
    ['user.created', 'scim', undefined, undefined],
    ['user.updated', 'scim', ['raw'], { raw: { title: null, active: null } }],
    ['user.updated', 'scim', ['active', 'raw'], { active: true, raw: { active: true } }],
    ['user.deleted', 'scim', undefined, undefined],
  ]);
  for (const { data } of events) expect(Object.keys(data).sort()).toEqual(['active', 'email', 'first_name', 'id', 'last_name', 'raw']);
  expect(await feedOf(id)).toEqual(events);

  await operated.untilDone();
  await operated.replay({ mode: 'single', sequence: 3 });
  const replayed = (await untilReceived(5)).at(-1);
  expect(replayed).toEqual({ ...events[2], reason: 'replay' });
  expect((await feedOf(id))[2].reason).toBe('scim');
});

it('says why members joined and left, and that a group changed', async () => {
  const { directory } = await createOperated(service, receiver, { webhook_url: undefined });
  const { scim, id } = directory;
  const { id: userId } = (await scim('POST', '/Users', ada)).body;
  const { id: groupId } = (await scim('POST', '/Groups', { displayName: 'Team', members: [{ value: userId }] })).body;
  await scim('PATCH', `/Groups/${groupId}`, {
    Operations: [
      { op: 'replace', path: 'displayName', value: 'Crew' },
      { op: 'remove', path: 'members' },
    ],
  });
  expect(
    (await feedOf(id))
      .slice(1)
      .map(({ event, reason, changes, data }: Record<string, unknown>) => [event, reason, changes, 'reason' in (data as object)]),
  ).toEqual([
    ['group.created', 'scim', undefined, false],
    ['group.user_added', 'scim', undefined, false],
    ['group.updated', 'scim', ['name', 'raw'], false],
    ['group.user_removed', 'scim', undefined, false],
  ]);
});

it('counts former values as bytes of the event, and deletes them with its body', async () => {
  const operated = await createOperated(service, receiver, { log_webhook_events: false });
  const { scim, id } = operated.directory;
  const long = 'x'.repeat(20_000);
  const { id: userId } = (await scim('POST', '/Users', { ...ada, title: long })).body;
  await scim('PATCH', `/Users/${userId}`, { Operations: [{ op: 'remove', path: 'title' }] });
  await untilReceived(2);
  const rows = await service.db('stored_events').where({ directory_id: id }).orderBy('sequence').select('bytes');
  expect(rows[1].bytes).toBeGreaterThan(20_000);
  await operated.untilDone();
  const [, update] = await until(async () => {
    const events = await feedOf(id);
    return events[1].data === null && events;
  });
  expect(update).toMatchObject({ event: 'user.updated', data: null, reason: null, changes: null, previous_attributes: null });
});

it('tells a change of active with types of its own, in directories that ask for it', async () => {
  const operated = await createOperated(service, receiver, { webhook_url: undefined, user_state_events: true });
  const { scim, id } = operated.directory;
  const { id: userId } = (await scim('POST', '/Users', ada)).body;
  const set = (...operations: [path: string, value: unknown][]) =>
    scim('PATCH', `/Users/${userId}`, { Operations: operations.map(([path, value]) => ({ op: 'replace', path, value })) });
  await set(['active', false]);
  await set(['title', 'Countess']);
  await set(['active', true], ['title', 'Lady']);
  const described = async () =>
    (await feedOf(id)).map(({ event, previous_attributes: previous }: Record<string, unknown>) => [event, previous]);
  expect(await described()).toEqual([
    ['user.created', undefined],
    ['user.deactivated', { active: true, raw: { active: null } }],
    ['user.updated', { raw: { title: null } }],
    ['user.reactivated', { active: false, raw: { active: false, title: 'Countess' } }],
  ]);
  const { body } = await service.api('GET', `/api/v1/events?directory_id=${id}&events=user.deactivated`);
  expect(body.data).toHaveLength(1);

  const updated = await operated.patch({ user_state_events: false });
  expect([updated.status, updated.body.data.user_state_events]).toEqual([200, false]);
  await until(async () => {
    await set(['active', false]);
    await set(['active', true]);
    return (await described()).at(-1)[0] === 'user.updated';
  });
  expect((await operated.patch({ user_state_events: 'perhaps' })).body.error.field).toBe('user_state_events');
});
