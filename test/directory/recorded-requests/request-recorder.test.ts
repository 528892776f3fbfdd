import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { CountedPushes } from '../../../src/directory/activity/activity.ts';
import type { RejectedSecret } from '../../../src/directory/recorded-requests/rejected-secrets.ts';
import type { RecordedRequest, SentRequest } from '../../../src/directory/recorded-requests/recorded-request.ts';
import { createRequestRecorder } from '../../../src/directory/recorded-requests/request-recorder.ts';
import type { UserRequest } from '../../../src/directory/recorded-requests/user-requests.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/logger.ts';
import { until } from '../../support/until.ts';

const sent = (number: number, { directoryId = 'a', text = '' } = {}): SentRequest => ({
  id: newId(number),
  directoryId,
  atMs: number,
  durationMs: 1,
  method: 'POST',
  url: `/api/scim/v2.0/${directoryId}/Users?n=${number}`,
  status: 201,
  error: undefined,
  requestId: String(number),
  userAgent: '',
  contentType: 'application/scim+json',
  body: { text, bytes: text.length, isJson: false },
  contentLength: text.length,
  hasBody: true,
  concerns: [],
});

interface Options {
  rejectSecrets?: () => Promise<void>;
  add?: (requests: RecordedRequest[]) => Promise<void>;
  count?: () => Promise<void>;
  everyMs?: number;
  maxBytes?: number;
}

function startRecorder({ add, count, rejectSecrets, ...options }: Options) {
  const written: string[][] = [];
  const lines: string[] = [];
  const counted: CountedPushes[] = [];
  const rejected: RejectedSecret[] = [];
  const ofUsers: UserRequest[][] = [];
  const recorder = createRequestRecorder({
    store: {
      async add(requests) {
        written.push(requests.map(({ directoryId, requestId }) => `${directoryId}${requestId}`));
        await add?.(requests);
      },
      addForUsers: (requests) => Promise.resolve(void ofUsers.push(requests)),
      async rejectSecrets(taken) {
        await rejectSecrets?.();
        rejected.push(...taken);
      },
      async count(pushes) {
        await count?.();
        counted.push(...pushes);
      },
    },
    log: createLogger('info', { write: (line: string) => void lines.push(line) }),
    everyMs: 5,
    ...options,
  });
  return { recorder, written, lines, counted, rejected, ofUsers };
}

it('writes in the background, one write at a time', async () => {
  let [underWay, most] = [0, 0];
  const { recorder, written } = startRecorder({
    everyMs: 0,
    async add() {
      most = Math.max(most, ++underWay);
      for (let turn = 0; turn < 20; turn += 1) await yieldToEventLoop();
      underWay -= 1;
    },
  });
  const numbers = Array.from({ length: 90 }, (_, index) => index);
  for (const number of numbers) {
    recorder.record(sent(number));
    expect(written.flat()).not.toContain(`a${number}`);
    await yieldToEventLoop();
  }
  await recorder.stop();
  expect(written.flat()).toEqual(numbers.map((number) => `a${number}`));
  expect(written.length).toBeGreaterThan(1);
  expect(most).toBe(1);
});

it('keeps the newest 100 requests of each directory, within its memory limit', async () => {
  const many = startRecorder({ everyMs: 60_000 });
  many.recorder.record(sent(0, { directoryId: 'quiet' }));
  for (let number = 1; number <= 250; number += 1) many.recorder.record(sent(number));
  await many.recorder.stop();
  expect(many.written).toEqual([['quiet0', ...Array.from({ length: 100 }, (_, index) => `a${151 + index}`)]]);

  const large = startRecorder({ everyMs: 60_000, maxBytes: 100_000 });
  for (let number = 1; number <= 10; number += 1)
    large.recorder.record(sent(number, { directoryId: 'abc'[number % 3]!, text: 'x'.repeat(16_000) }));
  await large.recorder.stop();
  expect(large.written).toEqual([['c8', 'a9', 'b10']]);
  large.recorder.record(sent(11, { text: 'x'.repeat(60_000) }));

  const crowded = startRecorder({ everyMs: 60_000, maxBytes: 400_000 });
  crowded.recorder.record(sent(0, { directoryId: 'quiet' }));
  for (let number = 1; number <= 50; number += 1) crowded.recorder.record(sent(number, { text: 'x'.repeat(8_000) }));
  await crowded.recorder.stop();
  expect(crowded.written).toEqual([['quiet0', ...[46, 47, 48, 49, 50].map((number) => `a${number}`)]]);
});

it('cuts what it stores once for each user', async () => {
  const { recorder, ofUsers } = startRecorder({ everyMs: 60_000 });
  const detail = 'x'.repeat(5_000);
  const concern = { ids: ['1', '2'], names: [], isShared: false };
  recorder.record({ ...sent(1), url: `/api/scim/v2.0/a/Users?n=${detail}`, error: { detail }, concerns: [concern] });
  recorder.record({ ...sent(2), concerns: [{ ...concern, result: { status: 400, detail } }] });
  await recorder.stop();
  const lengths = ofUsers.flat().map(({ path, detail: stored }) => [path.length, stored?.length]);
  expect(lengths).toEqual([
    ['/Users?n=2'.length, 300],
    [300, 300],
  ]);
});

it('drops requests that it could not write, logs the first failure, and continues', async () => {
  let isDown = true;
  const { recorder, written, lines } = startRecorder({
    add: () => (isDown ? Promise.reject(new Error('away')) : Promise.resolve()),
  });
  const record = async (number: number) => {
    recorder.record(sent(number));
    await until(() => written.some((ids) => ids.includes(`a${number}`)));
  };
  await record(1);
  await record(2);
  isDown = false;
  await record(3);
  isDown = true;
  await record(4);
  await recorder.stop();
  expect(written).toEqual([['a1'], ['a2'], ['a3'], ['a4']]);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    Array.from({ length: 2 }, () => expect.objectContaining({ level: 40, error: 'away' })),
  );
});

it('writes the rest when it stops, without waiting for a database that hangs', async () => {
  const { recorder, written } = startRecorder({ everyMs: 60_000, add: () => new Promise(() => undefined) });
  recorder.record(sent(1));
  const startedMs = performance.now();
  await recorder.stop();
  expect(written).toEqual([['a1']]);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});

it('counts all requests by hour, also those that are not kept', async () => {
  const { recorder, written, counted } = startRecorder({});
  for (let number = 0; number < 150; number += 1) recorder.record({ ...sent(number), status: number < 10 ? 409 : 201 });
  recorder.record(sent(3_600_000));
  recorder.record(sent(1, { directoryId: 'b' }));
  await recorder.stop();
  expect(written.flat().length).toBeLessThan(150);
  expect(counted).toEqual([
    { directoryId: 'a', hour: 0, pushes: 150, rejectedPushes: 10 },
    { directoryId: 'a', hour: 1, pushes: 1, rejectedPushes: 0 },
    { directoryId: 'b', hour: 0, pushes: 1, rejectedPushes: 0 },
  ]);
});

it('counts requests that it cannot write, and counts them later if it cannot count them now', async () => {
  const failing = startRecorder({ everyMs: 60_000, add: () => Promise.reject(new Error('away')) });
  failing.recorder.record(sent(1));
  await failing.recorder.stop();
  expect(failing.counted).toEqual([{ directoryId: 'a', hour: 0, pushes: 1, rejectedPushes: 0 }]);

  let failures = 0;
  const { recorder, counted, lines } = startRecorder({
    everyMs: 1,
    count: () => (failures++ < 2 ? Promise.reject(new Error('away')) : Promise.resolve()),
  });
  recorder.record({ ...sent(1), status: 409 });
  recorder.record(sent(2));
  // No further request arrives.
  await until(() => counted.length > 0);
  await recorder.stop();
  expect(counted).toEqual([{ directoryId: 'a', hour: 0, pushes: 2, rejectedPushes: 1 }]);
  expect(lines).toHaveLength(1);
});

it('writes the newest time of each rejected secret once, without a request, and again if it cannot be written now', async () => {
  let failures = 0;
  const { recorder, rejected, written } = startRecorder({
    everyMs: 1,
    rejectSecrets: () => (failures++ < 2 ? Promise.reject(new Error('away')) : Promise.resolve()),
  });
  for (let count = 0; count < 100; count += 1) recorder.recordRejectedSecret('a');
  recorder.recordRejectedSecret('b');
  await until(() => rejected.length > 0);
  await recorder.stop();
  expect([rejected.map(({ directoryId }) => directoryId), written]).toEqual([['a', 'b'], []]);
});

it('keeps the rejected secrets of a limited number of directories', async () => {
  const { recorder, rejected } = startRecorder({ everyMs: 60_000 });
  for (let number = 0; number < 10_500; number += 1) recorder.recordRejectedSecret(String(number));
  await recorder.stop();
  expect(rejected).toHaveLength(10_000);
});

const manyConcerns = (number: number) => [
  { ids: Array.from({ length: 100 }, (_, index) => `${number}-${index}`), names: [], isShared: true },
];

it('notes the newest users of a directory whose requests concern too many, and all of the others', async () => {
  const { recorder, ofUsers } = startRecorder({ everyMs: 60_000 });
  for (let number = 1; number <= 60; number += 1) recorder.record({ ...sent(number), concerns: manyConcerns(number) });
  recorder.record({ ...sent(61, { directoryId: 'b' }), concerns: manyConcerns(61) });
  await recorder.stop();
  const noted = ofUsers.flat().map(({ directoryId, requestId, subjects }) => [directoryId, Number(requestId), subjects.length]);
  const newest = Array.from({ length: 25 }, (_, index) => ['a', 60 - index, 100]);
  expect(noted).toEqual([['b', 61, 100], ...newest]);
});
