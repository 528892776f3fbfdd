import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readAuditLog } from '../support/audit.ts';
import { createOperated, root } from '../support/operate.ts';
import { ofPerson, person, pushPerson } from '../support/personal-data.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({}, { recordEveryMs: 10 });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

it('returns everything that is kept about a person, and nothing of others', async () => {
  const { directory, untilDone } = await createOperated(service, receiver);
  await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  const id = await pushPerson(directory);
  await untilDone();
  await until(async () => (await service.db('scim_requests').where({ directory_id: directory.id })).length >= 11);
  const items = await ofPerson(service, directory, id).export();
  const ofKind = (kind: string) => items.filter((item) => item.kind === kind);

  expect(ofKind('user')).toEqual([
    {
      kind: 'user',
      user: expect.objectContaining({ id, last_name: 'Quillwort-Byron', raw: expect.objectContaining({ externalId: 'zxqv-4711' }) }),
    },
  ]);
  expect(new Map(ofKind('membership').map(({ group, pending }) => [group.name, pending]))).toEqual(
    new Map([
      ['Engineering', false],
      ['Waiting', false],
    ]),
  );
  const events = ofKind('event').map(({ event }) => event.event);
  expect(events.length).toBeGreaterThan(5);
  expect([events[0], events.at(-1)]).toEqual(['user.created', 'user.updated']);
  expect(events.filter((type) => type === 'user.created')).toHaveLength(1);
  expect(ofKind('delivery')).toHaveLength(events.length);
  expect(ofKind('delivery')[0]).toMatchObject({ payloads: [{ event: 'user.created' }], attempts: [{ number: 1, response_body: 'ok' }] });
  expect(ofKind('request').length).toBeGreaterThan(5);
  expect(JSON.stringify(items)).not.toContain('bob@acme.example');
  expect(await readAuditLog(service, { target: id })).toMatchObject([{ action: 'user.exported' }]);
});

it('is read in pages of limited size, whatever a tenant keeps of one user', async () => {
  const { id } = await service.createDirectory();
  const user = randomUUID();
  await service.db.raw(
    `insert into stored_events (directory_id, sequence, id, type, data, occurred_at, bytes)
     select :id, n, gen_random_uuid(), 'user.updated', jsonb_build_object('id', case when n % 2 = 0 then cast(:user as text) else 'other' end,
       'first_name', '', 'last_name', '', 'email', rpad('', 10000, 'x'), 'active', true, 'raw', cast('{}' as jsonb)), now(), 10100
     from generate_series(1, 9000) n`,
    { id, user },
  );
  const sequences: number[] = [];
  const pages: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await service.api('GET', `${root}/${id}/users/${user}/export?cursor=${cursor}`);
    pages.push(JSON.stringify(body).length);
    for (const { event } of body.data) sequences.push(event.sequence);
    cursor = body.next_cursor;
  }
  expect(sequences).toEqual(Array.from({ length: 4500 }, (_, index) => 2 * (index + 1)));
  expect(Math.max(...pages)).toBeLessThan(5_000_000);
  expect(pages.length).toBeGreaterThan(10);
});

it('is of the person only, where a delivery has events of several', async () => {
  const directory = await service.createDirectory({ log_webhook_events: true });
  const { body } = await directory.scim('POST', '/Users', person());
  const text = JSON.stringify([
    { event: 'user.created', data: { id: body.id } },
    { event: 'user.created', data: { id: 'other', email: 'bob@acme.example' } },
  ]);
  await service.db.raw(
    `insert into webhook_batches (id, directory_id, endpoint_id, from_sequence, to_sequence, event_count, body, bytes, sha256, status)
     select 'msg_several', directory_id, id, 1, 2, 2, :text, 100, '', 'delivered' from webhook_endpoints where directory_id = :id`,
    { text, id: directory.id },
  );
  const items = await ofPerson(service, directory, body.id).export();
  expect(items.find(({ id }) => id === 'msg_several').payloads).toEqual([{ event: 'user.created', data: { id: body.id } }]);
  expect(JSON.stringify(items)).not.toContain('bob@acme.example');
});

it('rejects a cursor of another user', async () => {
  const directory = await service.createDirectory();
  const [one, other] = [randomUUID(), randomUUID()].map((id) => `${root}/${directory.id}/users/${id}/export`);
  const { body } = await service.api('GET', one!);
  const { status, body: rejected } = await service.api('GET', `${other}?cursor=${body.next_cursor}`);
  expect([status, rejected.error.field]).toEqual([400, 'cursor']);
});
