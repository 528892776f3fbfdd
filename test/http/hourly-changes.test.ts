import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const perHour = 5;
/** The assumption of docs/operate/capacity.md. Beside a history, Temporal stores its row in the visibility table. */
const mostBytesOfAChange = 22_000;

const bulk = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: { userName: 'one-more' } }],
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ CHANGES_PER_HOUR_PER_DIRECTORY: String(perHour) }, { deliver: false });
});
afterAll(() => service.stop());

/** What each group of changes has left in Temporal. */
async function readHistories() {
  const found: { workflowId: string; bytes: number }[] = [];
  for await (const { workflowId, runId } of service.client.workflow.list({ query: `WorkflowType = 'mutationGroup'` })) {
    const { historySize } = await service.client.workflow.getHandle(workflowId, runId).describe();
    found.push({ workflowId, bytes: historySize! });
  }
  return found;
}

it('responds with 429 to a directory with too many changes within an hour; reads and other directories work', async () => {
  const [busy, other] = [await service.createDirectory(), await service.createDirectory()];
  for (let user = 0; user < perHour; user += 1) expect((await busy.scim('POST', '/Users', { userName: `user-${user}` })).status).toBe(201);
  for (const [method, path, body] of [
    ['POST', '/Users', { userName: 'one-more' }],
    ['POST', '/Bulk', bulk],
  ] as const) {
    const { status, headers, body: response } = await busy.scim(method, path, body);
    const seconds = Number(headers.get('retry-after'));
    expect([status, seconds > 3_500 && seconds <= 3_600]).toEqual([429, true]);
    expect(response).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '429',
      detail: expect.stringContaining('CHANGES_PER_HOUR_PER_DIRECTORY'),
    });
  }
  expect((await busy.scim('GET', '/Users')).body.totalResults).toBe(perHour);
  expect((await other.scim('POST', '/Users', { userName: 'user' })).status).toBe(201);
});

it('does not read the body of a request that gets 429', async () => {
  const busy = await service.createDirectory();
  for (let user = 0; user < perHour; user += 1) expect((await busy.scim('POST', '/Users', { userName: `user-${user}` })).status).toBe(201);
  const headers = { authorization: `Bearer ${busy.secret}`, 'content-type': 'application/scim+json' };
  for (const [method, path] of [
    ['POST', '/Users'],
    ['POST', '/Bulk'],
    ['PUT', '/Groups/unknown'],
    ['PATCH', '/Users/unknown'],
  ] as const)
    for (const body of ['no JSON', 'x'.repeat(30_000_000)]) {
      const response = await fetch(`${service.baseUrl}/api/scim/v2.0/${busy.id}${path}`, { method, headers, body });
      expect([response.status, await response.text()]).toEqual([429, expect.stringContaining('CHANGES_PER_HOUR_PER_DIRECTORY')]);
    }
});

it('stores no more of a single change in Temporal than the limit assumes, however large it is', async () => {
  const { scim } = await service.createDirectory();
  expect((await scim('POST', '/Users', { userName: 'small', title: 'x'.repeat(3_500) })).status).toBe(201);
  expect((await scim('POST', '/Users', { userName: 'large', notes: Array.from({ length: 4 }, () => 'x'.repeat(200_000)) })).status).toBe(
    201,
  );
  const sizes = await until(async () => {
    const read = (await readHistories()).map(({ bytes }) => bytes);
    return read.length >= 2 && read;
  });
  console.log(`A change alone leaves a history of ${Math.min(...sizes)} to ${Math.max(...sizes)} bytes in Temporal.`);
  expect(Math.max(...sizes)).toBeLessThan(mostBytesOfAChange);
});

it('leaves 68 KiB of a change of up to 64 KiB there while 64 MiB of its directory wait, and rejects a larger one', async () => {
  const { id, scim } = await service.createDirectory();
  // What was submitted and is not applied yet.
  await service.db.raw(
    `insert into staged_mutations (directory_id, id, sealed) values (:id, :id, convert_to(repeat('x', 64 * 1024 * 1024), 'UTF8'))`,
    { id },
  );
  const push = (characters: number) =>
    scim('POST', '/Users', { userName: 'ada', notes: randomBytes((characters * 3) / 4).toString('base64') });
  const rejected = await push(65_536);
  expect([rejected.status, rejected.body.detail]).toEqual([503, expect.stringContaining('INTAKE_WAITING_BYTES_PER_DIRECTORY')]);
  expect((await push(65_200)).status).toBe(201);
  // Temporal lists a workflow a moment after it has started.
  const [bytes] = await until(async () => {
    const large = (await readHistories()).map((history) => history.bytes).filter((size) => size > mostBytesOfAChange);
    return large.length > 0 && large;
  });
  expect(bytes).toBeGreaterThan(65_200);
  expect(bytes).toBeLessThan(68 * 1_024);
});
