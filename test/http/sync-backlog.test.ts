import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { changed, createPulledDirectory, googleEnv } from '../support/pulled-directories.ts';
import { fail, sequencesOf, startReceiver, take, type Receiver } from '../support/receiver.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const limit = 20_000;
/** More than a sync applies at once. */
const people = 1_500;

let google: FakeGoogle;
let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  [google, receiver] = await Promise.all([startFakeGoogle(), startReceiver()]);
  service = await startTestService({
    ...googleEnv(google),
    MAX_UNDELIVERED_BYTES_PER_DIRECTORY: String(limit),
    WEBHOOK_RETRY_SCHEDULE: retryEvery(0.2),
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([google.stop(), receiver.close()]);
});

it('a sync waits while the directory has too many undelivered bytes, and continues once its receiver is back: each event is delivered once', async () => {
  google.preset({});
  for (let count = 0; count < people; count += 1) google.addUser();
  receiver.respond = fail;
  const directory = await createPulledDirectory(service, google, {
    webhook_url: receiver.url,
    webhook_secret: 'a-secret-of-enough-characters',
  });
  const runId = await directory.begin();

  const undelivered = async () => (await directory.get()).health.quotas.undelivered_bytes as { used: number; limit: number };
  await until(async () => (await undelivered()).used >= limit, { timeoutMs: 60_000 });
  const countUsers = async () => Number((await service.db('users').where({ directory_id: directory.id }).count())[0]!['count']);
  const applied = await countUsers();
  expect(applied).toBeLessThan(people);
  const tries = receiver.received.length;
  await until(() => receiver.received.length > tries + 5, { timeoutMs: 60_000 });
  expect([await countUsers(), (await directory.run(runId)).finished_at]).toEqual([applied, null]);

  receiver.received.length = 0;
  receiver.respond = take;
  expect(await directory.untilEnded(runId)).toMatchObject({ state: 'succeeded', changed: changed({ users: [people, 0, 0] }) });
  await until(async () => (await undelivered()).used === 0, { timeoutMs: 60_000 });
  expect(sequencesOf(receiver.received)).toEqual(Array.from({ length: people }, (_, index) => index + 1));
}, 180_000);
