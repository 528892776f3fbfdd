import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { checkDirectories } from '../../src/cli/doctor/check-directories.ts';
import { createOperated, type Operated } from '../support/operate.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { createKey } from '../support/api-keys.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryEvery(3_600) });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const rollcall = (...args: string[]) => callRollcall(args, at(service));
const untilHealth = ({ get }: Operated, status: string) => until(async () => (await get('')).health.status === status);
const look = (key = apiKey) =>
  checkDirectories({ baseUrl: service.baseUrl, urlSource: 'PORT', apiKey: key, keySource: 'API_KEYS' }, new AbortController().signal);

it('shows what needs attention in lists, in the overview, and in the doctor, until it is over', async () => {
  expect(await look()).toMatchObject([{ verdict: 'skipped' }]);
  receiver.respond = (response) => void response.writeHead(503).end();
  const failing = await createOperated(service, receiver, { tenant: 'one', name: 'Failing' });
  const waiting = await createOperated(service, receiver, { tenant: 'two', name: 'Waiting' });
  const { id } = failing.directory;
  await failing.push('ada');
  await untilHealth(failing, 'failing');

  const listed = await rollcall('directories', 'list', '--unhealthy');
  expect([listed.code, listed.stdout.trim().split('\n').slice(1)]).toEqual([0, [expect.stringMatching(new RegExp(`^${id} .* failing$`))]]);
  expect((await rollcall('directories', 'list', '--health', 'waiting_for_first_push')).stdout).toContain(waiting.directory.id);
  const shown = await rollcall('directories', 'show', id);
  expect(shown.stdout).toMatch(/^Health +failing$/m);
  expect(shown.stdout).toMatch(/^Last failure +\S+ responded with 503 .*\(attempt msg_\S+\/1\)$/m);
  const deliveries = await rollcall('deliveries', 'list', id);
  expect(deliveries.stdout).toMatch(/^ID +Created +Status +Event type\nmsg_\S+ +\S+ +pending +user\.created *$/m);
  const overview = await rollcall('overview');
  expect([overview.code, overview.stdout]).toEqual([0, expect.stringMatching(/^ +failing +1$/m)]);
  expect(overview.stdout).toMatch(new RegExp(`^${id} +failing .*503`, 'm'));
  const json = JSON.parse((await rollcall('overview', '--json')).stdout);
  expect(json).toEqual((await service.api('GET', '/api/v1/overview')).body.data);

  const doctor = await rollcall('doctor', '--json');
  const findings = (JSON.parse(doctor.stdout) as { findings: { check: string }[] }).findings.filter(({ check }) => check === 'Directories');
  expect([doctor.code, findings]).toEqual([6, await look()]);
  expect(findings).toEqual([
    {
      check: 'Directories',
      verdict: 'problem',
      message: expect.stringMatching(new RegExp(`^Failing \\(${id}\\) is failing; 1 event waits\\. \\S+ responded with 503 `)),
      advice: expect.stringMatching(new RegExp(`receiver.*rollcall deliveries state ${id}$`)),
    },
    { check: 'Directories', verdict: 'ok', message: expect.stringContaining('1 waiting for first push') },
  ]);
  // A narrowed key sees only its own.
  expect(await look((await createKey(service, { tenant: 'two' })).key)).toMatchObject([{ verdict: 'ok' }]);

  await failing.post('/pause');
  expect(await look()).toMatchObject([
    { verdict: 'warning', advice: expect.stringMatching(new RegExp(`rollcall deliveries resume ${id}$`)) },
    { verdict: 'ok' },
  ]);
  receiver.respond = (response) => void response.end();
  await failing.post('/resume');
  await failing.untilDone();
  expect(await look()).toMatchObject([{ verdict: 'ok', message: expect.stringContaining('1 healthy') }]);
});

it.each([
  [500, 'internal', 'problem'],
  [401, 'unauthorized', 'skipped'],
])('a service that responds with %i is a problem, unless another check reports it', async (status, code, verdict) => {
  const broken = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data: null, error: { code, message: 'No.' } }));
  }).listen(0, '127.0.0.1');
  await once(broken, 'listening');
  const baseUrl = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  const connection = { baseUrl, urlSource: 'PORT', apiKey, keySource: 'API_KEYS' } as const;
  expect(await checkDirectories(connection, new AbortController().signal)).toMatchObject([
    { verdict, message: expect.stringContaining('could not be read: No') },
  ]);
  broken.close();
});

it('skips the check with a key that may not see directories', async () => {
  const { key } = await createKey(service, { scopes: ['events:read'] });
  expect(await look(key)).toMatchObject([{ verdict: 'skipped', message: expect.stringContaining('could not be read') }]);
});
