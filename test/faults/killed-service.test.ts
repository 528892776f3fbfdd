import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { expectInOrder, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { ada, type TestDirectory } from '../support/service.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;
/** Much less than the sweep needs, so that Temporal must have resumed the work. */
const takeoverTimeoutMs = 30_000;

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation();
});
afterAll(() => installation.remove());
const receiver = useReceiver();

const userIds = (directory: TestDirectory) => installation.db('users').where({ directory_id: directory.id }).pluck<string[]>('id');
const createDirectory = () => installation.createDirectory({ webhook_url: receiver.url });

it.each(everyRound)(
  'delivers a change once if its process is killed between the commit and the wake (round %i)',
  async () => {
    await using first = await installation.start({ program: 'test/support/crash-before-wake.js', command: [] });
    const directory = await createDirectory();
    const pushed = await directory.scim('POST', '/Users', ada).then(
      ({ status, body }) => [status, body.id],
      () => 'dropped',
    );
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const [id, ...others] = await userIds(directory);
    expect(others).toEqual([]);
    expect([[201, id], 'dropped']).toContainEqual(pushed);
    expect(receiver.received).toEqual([]);

    await using second = await installation.start();
    await until(() => receiver.received.length > 0, { timeoutMs: takeoverTimeoutMs });
    expect((await directory.scim('POST', '/Users', ada)).status).toBe(409);
    const next = await directory.scim('POST', '/Users', { userName: 'grace@example.com' });
    expect(await untilDelivered(installation.db, directory)).toBe(2);
    expect(receiver.received.map(({ event }) => event.data.id)).toEqual([id, next.body.id]);
    expectInOrder(receiver.received, directory, 2);
    await second.kill();
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'sends the same bytes under the same id again if its process is killed during the POST, and the next events in order (round %i)',
  async () => {
    const held: unknown[] = [];
    receiver.respond = (response) => void held.push(response);
    await using first = await installation.start();
    const directory = await createDirectory();
    for (const userName of ['a', 'b', 'c']) expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
    await until(() => held.length === 1);
    await first.kill();

    receiver.respond = (response) => void response.end('ok');
    await using second = await installation.start();
    expect(await untilDelivered(installation.db, directory)).toBe(3);
    const requests = receivedFor(receiver, directory);
    expect(requests.map(({ event }) => event.sequence)).toEqual([1, 1, 2, 3]);
    expect(requests[1]!.headers['webhook-id']).toBe(requests[0]!.headers['webhook-id']);
    expectInOrder(requests, directory, 3);
    const attempts = await installation
      .db('webhook_attempts')
      .where({ directory_id: directory.id })
      .orderBy('started_at')
      .select('batch_id', 'number', 'outcome', 'status_code');
    expect(attempts).toEqual(
      requests.map(({ headers }, index) => ({
        batch_id: headers['webhook-id'],
        number: index === 1 ? 2 : 1,
        outcome: index === 0 ? 'aborted' : 'success',
        status_code: index === 0 ? null : 200,
      })),
    );
    await second.kill();
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'completes a workflow whose process was killed before the commit, and sends no wrong response (round %i)',
  async () => {
    await using first = await installation.start();
    const directory = await createDirectory();
    const holder = await installation.db.transaction();
    await holder('directories').where({ id: directory.id }).forUpdate().first();
    const pushed = directory.scim('POST', '/Users', ada).then(
      ({ status }) => status,
      () => 'dropped',
    );
    await until(async () => {
      const { rows } = await installation.db.raw(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%directories%'`,
      );
      return rows.length >= 1;
    });
    await first.kill();
    expect(await pushed).toBe('dropped');
    // Postgres may not have noticed that the process is gone, and would still commit it.
    await installation.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await until(async () => {
      const { rows } = await installation.db.raw(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === 0;
    });
    await holder.rollback();
    expect(await userIds(directory)).toEqual([]);

    await using second = await installation.start();
    const [id] = await until(async () => (await userIds(directory)).length > 0 && userIds(directory), { timeoutMs: takeoverTimeoutMs });
    expect((await directory.scim('POST', '/Users', ada)).status).toBe(409);
    expect(await untilDelivered(installation.db, directory)).toBe(1);
    expect(await userIds(directory)).toEqual([id]);
    expect(receiver.received.map(({ event }) => [event.event, event.data.id])).toEqual([['user.created', id]]);
    expectInOrder(receiver.received, directory, 1);
    await second.kill();
  },
  testTimeoutMs,
);
