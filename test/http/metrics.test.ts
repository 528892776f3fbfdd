import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { ada, apiKey, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
let metricsUrl: string;
beforeAll(async () => {
  const port = await findFreePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  [service, receiver] = await Promise.all([startTestService({ METRICS_PORT: String(port) }), startReceiver()]);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const read = async () => (await fetch(metricsUrl)).text();
const figure = (text: string, name: string) =>
  Number(new RegExp(`^${name.replaceAll(/[{}[\]().+*?^$|\\]/g, String.raw`\$&`)} (\\S+)$`, 'm').exec(text)?.[1]);

it("require an API key on the API's port, and none on a separate port", async () => {
  expect((await fetch(`${service.baseUrl}/metrics`)).status).toBe(401);
  const response = await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  expect((await fetch(metricsUrl)).status).toBe(200);
  expect((await fetch(metricsUrl.replace('/metrics', '/api/v1/directory-sync'))).status).toBe(404);
});

it('count requests and deliveries', async () => {
  receiver.respond = (response, _request, count) => void response.writeHead(count === 1 ? 500 : 200).end();
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await directory.scim('POST', '/Users', ada);
  await directory.scim('GET', '/users/6f6a5b5e-0000-7000-8000-000000000000');
  await directory.scim('GET', '/Whatever/else');
  // Attempts are counted after the receiver gets them, and the workflow of a change after the response.
  const text = await until(async () => {
    const now = await read();
    const counted = ['rollcall_webhook_attempts_total{outcome="http_error",kind="live"}', 'rollcall_mutation_workflow_seconds_count'];
    return counted.every((name) => figure(now, name) === 1) && now;
  });
  expect(figure(text, 'rollcall_scim_request_seconds_count{method="POST",route="Users",status="201"}')).toBe(1);
  expect(figure(text, 'rollcall_scim_request_seconds_count{method="GET",route="Users/:id",status="404"}')).toBe(1);
  expect(figure(text, 'rollcall_scim_request_seconds_count{method="GET",route="other",status="404"}')).toBe(1);
  expect(figure(text, 'rollcall_mutations_total')).toBe(1);
  expect(figure(text, 'rollcall_mutation_workflow_seconds_count')).toBe(1);
  expect(figure(text, 'rollcall_delivery_wakes_total{by="change"}')).toBe(1);
  expect(text).not.toContain('ada');
  expect(text).not.toContain(directory.id);
});

it('report the size and age of the backlog', async () => {
  const deaf = await startTestService({}, { deliver: false });
  try {
    const directory = await deaf.createDirectory({ webhook_url: receiver.url });
    for (const userName of ['a', 'b', 'c']) await directory.scim('POST', '/Users', { userName });
    await deaf
      .db('events')
      .where({ directory_id: directory.id, sequence: 1 })
      .update({ occurred_at: new Date(Date.now() - 3_600_000) });
    const response = await fetch(`${deaf.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } });
    const text = await response.text();
    expect(figure(text, 'rollcall_backlog_events')).toBe(3);
    expect(figure(text, 'rollcall_backlog_directories{status="active"}')).toBe(1);
    expect(figure(text, 'rollcall_backlog_oldest_seconds')).toBeGreaterThanOrEqual(3_600);
  } finally {
    await deaf.stop();
  }
});
