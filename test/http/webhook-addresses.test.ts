import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dumpTables } from '../support/dump-tables.ts';
import { createOperated, root, type Operated } from '../support/operate.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const [former, token] = [1, 2].map(() => `canary-${randomBytes(12).toString('hex')}`) as [string, string];
/** Encoded in the address, decoded by a receiver. */
const signature = 'canary+of/the=operator';
const isCanary = new RegExp([former, token, signature, encodeURIComponent(signature)].map((text) => text.replace('+', '\\+')).join('|'));

let service: TestService;
let [receiver, operator]: Receiver[] = [];
let operated: Operated;
const requestedPaths: string[] = [];
const withQuery = (value: string) => `${receiver!.url}?token=${value}&sig=${encodeURIComponent(signature)}`;
beforeAll(async () => {
  [receiver, operator] = await Promise.all([startReceiver(), startReceiver()]);
  service = await startTestService({ WEBHOOK_URL: operator.url, WEBHOOK_RETRY_SCHEDULE: '0.05,0.05' });
  receiver.respond = (response, { url }, count) => {
    requestedPaths.push(url!);
    // A receiver that repeats the whole request, fails, redirects, and is finally gone.
    const status = [200, 500, 302][count - 1] ?? (requestedPaths.length < 6 ? 200 : 410);
    response.writeHead(status, { location: `${url}&again=1`, 'x-request-uri': url! }).end(JSON.stringify({ url, query: signature }));
  };
  operated = await createOperated(service, receiver, { webhook_url: withQuery(former) });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([receiver!.close(), operator!.close()]);
});

it('sends to the whole address, and returns it with the directory', async () => {
  const { directory, push, untilDone } = operated;
  await push('a');
  await untilDone();
  expect((await operated.patch({ webhook_url: withQuery(token) })).body.data.webhook.endpoint).toBe(withQuery(token));
  await push('b');
  await untilDone();
  const tested = await operated.post('/webhook/test');
  expect([tested.status, tested.body.data.outcome]).toEqual([200, 'success']);
  await push('c');
  await operated.untilStatus('disabled');
  const pathOf = (value: string) => withQuery(value).slice(withQuery(value).indexOf('/hook'));
  expect(requestedPaths).toEqual([pathOf(former), ...Array.from({ length: 5 }, () => pathOf(token))]);
  const { body } = await service.api('GET', `${root}?tenant=acme&product=app`);
  const read = (await service.api('GET', `${root}/${directory.id}`)).body.data;
  expect([read.webhook.endpoint, body.data[0].webhook.endpoint]).toEqual([withQuery(token), withQuery(token)]);
  // An address that is sent back as it was read does not change.
  const same = await operated.patch({ webhook: read.webhook });
  expect(same.body.data.webhook.endpoint).toBe(withQuery(token));
});

it('stores and shows only the host of an address unencrypted, and never its query', async () => {
  const { directory, get } = operated;
  await until(() => operator!.received.some(({ event }) => event.event === 'dsync.webhook_disabled'));
  const dump = await dumpTables(service.db);
  const { rows } = await service.db.raw<{ rows: { url: string }[] }>(
    'select url from webhook_endpoints union select url from webhook_attempts',
  );
  expect(rows.map(({ url }) => url)).toEqual([new URL(receiver!.url).host]);
  expect(dump).not.toMatch(isCanary);
  expect(JSON.stringify(service.logs)).not.toMatch(isCanary);
  expect(JSON.stringify(operator!.received)).not.toMatch(isCanary);
  expect(await (await fetch(`${service.baseUrl}/metrics`)).text()).not.toMatch(isCanary);

  const deliveries = (await get('/deliveries')) as { id: string }[];
  const whole = await Promise.all(deliveries.map(({ id }) => get(`/deliveries/${id}`)));
  const attempts = whole.flatMap((delivery) => delivery.attempt_log);
  expect(attempts.map(({ url }) => url)).toEqual(attempts.map(() => receiver!.url));
  expect(new Set(attempts.map(({ status_code: status }) => status))).toEqual(new Set([200, 302, 410, 500]));
  const redacted = JSON.stringify({ url: '/hook?token=[redacted]&sig=[redacted]', query: '[redacted]' });
  expect(attempts.map((attempt) => attempt.response_body)).toEqual(attempts.map(() => redacted));
  const events = (await service.api('GET', `${root}/events?directoryId=${directory.id}`)).body.data;
  expect(events.map((event: { webhook_endpoint: string }) => event.webhook_endpoint)).toEqual(events.map(() => receiver!.url));
  const state = await operated.state();
  expect(state.url).toBe(receiver!.url);
  const { health } = await get('');
  expect(JSON.stringify([whole, events, state, health])).not.toMatch(isCanary);
});

it('shows the address of a test without the query', async () => {
  const tested = await operated.post('/webhook/test');
  expect(tested.body.data.url).toBe(receiver!.url);
  expect(JSON.stringify(tested.body)).not.toMatch(isCanary);
});
