import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startReceiver, take, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { at, runRollcall, startRollcallCommand } from './run-rollcall.ts';

const testTimeoutMs = 180_000;

let service: TestService;
let application: Receiver;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '1,1,1,1,1' });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  application = await startReceiver();
});
afterEach(() => application.close());

async function startListening(...args: string[]) {
  const command = startRollcallCommand(['listen', ...args], at(service));
  await until(() => command.stderr().includes('Waiting for events'));
  return command;
}
/** Ends the command if it listens although it should not. */
async function listenInVain(...args: string[]) {
  const command = startRollcallCommand(['listen', ...args], at(service));
  let hasEnded = false;
  void command.ended.then(() => (hasEnded = true));
  await until(() => hasEnded || command.stderr().includes('Waiting for events'));
  command.signal('SIGKILL');
  return command.ended;
}
const demoDirectory = async () => (await service.api('GET', '/api/v1/directory-sync?tenant=demo&product=demo')).body.data[0];

it(
  'creates a demo directory, forwards what simulate pushes, and removes its webhook on Ctrl-C',
  async () => {
    const listening = await startListening('--forward-to', application.url);
    const simulated = await runRollcall(['simulate', 'okta'], at(service));
    expect([simulated.code, simulated.stdout]).toEqual([
      0,
      expect.stringMatching(/^Test the connection\n {2}GET {3}\/Users\?startIndex=1&count=1 {2}200 in \d+ ms\n/),
    ]);
    await until(() => application.received.some(({ event }) => event.data.active === false));
    for (const { headers } of application.received) expect(headers['webhook-signature']).toMatch(/^v1,/);
    expect(application.received.map(({ event }) => event.sequence)).toEqual(application.received.map((_, index) => index + 1));
    await until(() => listening.stdout().split('\n').length > application.received.length);
    expect(listening.stdout()).toMatch(/^#1 {5}user\.created {8}ada\.lovelace@example\.com {2}\[200 in \d+ ms\]\n/);
    expect(listening.stdout()).toMatch(/ user\.updated {8}alan\.turing@example\.com \(inactive\) {2}\[/);
    listening.signal('SIGINT');
    expect((await listening.ended).code).toBe(0);
    const { id, webhook } = await demoDirectory();
    expect(webhook.endpoint).toBe('');
    const events = await runRollcall(['events', 'list', '--directory', id], at(service));
    expect(events.stdout).toMatch(/^\S+ +1 {2}user\.created +ada\.lovelace@example\.com$/m);
  },
  testTimeoutMs,
);

it(
  'shows the webhook secret, and keeps it across restarts, so that an application still verifies',
  async () => {
    const secrets: string[] = [];
    for (const signal of ['SIGINT', 'SIGKILL', 'SIGINT'] as const) {
      const listening = await startListening();
      const { secret } = (await demoDirectory()).webhook;
      expect(listening.stderr()).toContain(`\nSecret     ${secret}\n`);
      secrets.push(secret);
      listening.signal(signal);
      await listening.ended;
    }
    expect(secrets[0]).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(new Set(secrets).size).toBe(1);
    const directory = await service.createDirectory({ webhook_url: application.url });
    const listening = await startListening('--directory', directory.id, '--replace-webhook');
    listening.signal('SIGINT');
    const { stderr } = await listening.ended;
    expect(stderr).not.toContain('whsec_');
    expect(stderr).toContain(`directories show ${directory.id} --show-secrets`);
  },
  testTimeoutMs,
);

it(
  'shows a test event, which has no sequence',
  async () => {
    const listening = await startListening();
    const { id } = await demoDirectory();
    expect((await service.api('POST', `/api/v1/directory-sync/${id}/webhook/test`)).body.data.outcome).toBe('success');
    await until(() => listening.stdout().includes('webhook.test'));
    expect(listening.stdout()).toMatch(/^test {3}webhook\.test {8}\[200 in \d+ ms\]$/m);
    listening.signal('SIGINT');
    await listening.ended;
  },
  testTimeoutMs,
);

it(
  'passes an error of the application on, so that Rollcall tries again',
  async () => {
    const listening = await startListening('--forward-to', application.url);
    application.respond = (response, _request, count) => (count === 1 ? void response.writeHead(401).end() : take(response));
    const { scim } = await demoDirectory();
    await fetch(`${scim.endpoint}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scim.secret}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ userName: 'retried@example.com' }),
    });
    await until(() => application.received.length === 2);
    const [first, second] = application.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    listening.signal('SIGTERM');
    const { stdout, stderr } = await listening.ended;
    expect(stdout).toMatch(/\[401 in \d+ ms\]\n.*\[200 in \d+ ms\]\n/);
    expect(stderr).toMatch(/must verify with the secret above.*\n.*restart `listen`/);
  },
  testTimeoutMs,
);

it(
  'rejects a forged webhook with 401, and does not forward it',
  async () => {
    const listening = await startListening('--forward-to', application.url);
    const { webhook } = await demoDirectory();
    const headers = {
      'webhook-id': 'msg_forged',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': 'v1,AAAA',
    };
    const forged = await fetch(webhook.endpoint, { method: 'POST', headers, body: '{}' });
    const unsigned = await fetch(webhook.endpoint, { method: 'POST', body: '{}' });
    expect([forged.status, unsigned.status, application.received]).toEqual([401, 401, []]);
    await until(() => listening.stderr().includes('the signature is invalid'));
    listening.signal('SIGINT');
    await listening.ended;
  },
  testTimeoutMs,
);

it(
  'replaces the webhook of a directory only with --replace-webhook, and restores it',
  async () => {
    const directory = await service.createDirectory({ webhook_url: application.url });
    expect(await listenInVain('--directory', directory.id)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('--replace-webhook'),
    });
    const listening = await startListening('--directory', directory.id, '--replace-webhook');
    await directory.scim('POST', '/Users', { userName: 'here@example.com' });
    await until(() => listening.stdout().includes('here@example.com'));
    listening.signal('SIGINT');
    await listening.ended;
    await directory.scim('POST', '/Users', { userName: 'there@example.com' });
    await until(() => application.received.length === 1);
    expect(application.received[0]!.event.data.email).toBe('there@example.com');
  },
  testTimeoutMs,
);

it(
  'refuses to listen beside another listen, takes over with --replace-webhook or when the other one was killed',
  async () => {
    const first = await startListening();
    expect(await listenInVain()).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('--replace-webhook'),
    });
    const second = await startListening('--replace-webhook');
    const { endpoint } = (await demoDirectory()).webhook;
    first.signal('SIGINT');
    expect((await first.ended).code).toBe(0);
    expect((await demoDirectory()).webhook.endpoint).toBe(endpoint);
    second.signal('SIGKILL');
    await second.ended;
    const third = await startListening();
    expect((await demoDirectory()).webhook.endpoint).not.toBe(endpoint);
    third.signal('SIGINT');
    expect((await third.ended).code).toBe(0);
    expect((await demoDirectory()).webhook.endpoint).toBe('');
  },
  testTimeoutMs,
);

it('fails for a service on another machine without --public-url', async () => {
  expect(await runRollcall(['listen', '--url', 'http://192.0.2.1:5225', '--api-key', 'x'.repeat(32)])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/can't reach this machine.+--public-url/),
  });
});
