import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { beginUpload } from '../support/upload.ts';

/** Large enough to wait for a turn, small enough that 160 of them have room. */
const [bytes, sent] = [100_000, 70_000];

let service: TestService;
let colluding: TestDirectory[];
let otherTenant: TestDirectory;
beforeAll(async () => {
  service = await startTestService();
  colluding = await Promise.all(['a', 'b'].map((tenant) => service.createDirectory({ tenant })));
  otherTenant = await service.createDirectory({ tenant: 'other-tenant' });
});
afterAll(() => service.stop());

const upload = (directory: TestDirectory) => beginUpload(service.baseUrl, directory, { bytes, sent });
const uploads = (directory: TestDirectory, count: number) => Array.from({ length: count }, () => upload(directory));

it('two directories that take all places to wait cannot keep a large body of a third one out, and get proper errors', async () => {
  const waiting = colluding.flatMap((directory) => uploads(directory, 72));
  for (const directory of colluding) {
    const surplus = await until(() => {
      const next = upload(directory);
      return until(() => next.status).then((status) => status === 429 && next);
    });
    expect(surplus.retryAfter).toBeDefined();
  }
  expect(waiting.filter(({ status }) => status !== undefined)).toEqual([]);
  const reading = uploads(otherTenant, 8);
  const next = upload(otherTenant);
  next.finish();
  const displaced = await until(() => waiting.find(({ status }) => status !== undefined));
  expect(displaced).toMatchObject({
    status: 503,
    retryAfter: '5',
    body: { status: '503', detail: expect.stringContaining('128 request bodies') },
  });
  reading[0]!.leave();
  await until(() => next.status === 200);
  expect([...waiting, ...reading].filter(({ status }) => status !== undefined)).toEqual([displaced]);
  // The others are read, eight of a directory at a time.
  const others = waiting.filter((one) => one !== displaced);
  for (const one of others) one.finish();
  await until(() => others.every(({ status }) => status === 200), { timeoutMs: 60_000 });
  for (const one of [displaced, ...reading]) one.leave();
}, 180_000);
