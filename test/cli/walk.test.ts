import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { ada, startTestService, toTestDirectory, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { at, callRollcall, runRollcall } from './run-rollcall.ts';

const testTimeoutMs = 180_000;

let service: TestService;
let receiver: Receiver;
let directory: TestDirectory;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startTestService({}, { recordEveryMs: 20 }), startReceiver()]);
});
afterAll(async () => {
  await service?.stop();
  await receiver?.close();
});

async function rollcall(...args: string[]) {
  const { code, stdout, stderr } = await callRollcall(args, at(service));
  return { code, stdout, stderr };
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await rollcall(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as never;
}

const data = async (path: string) => (await service.api('GET', `/api/v1/directory-sync${path}`)).body.data;
const where = ['--tenant', 'acme', '--product', 'crm'];

describe('directories', () => {
  it(
    'are created with their endpoint and secret, and printed as JSON like in the API',
    async () => {
      const settings = ['--type', 'okta-scim-v2', '--name', 'Acme', '--webhook-url', receiver.url, '--log-webhook-events', 'true'];
      const created = await json('directories', 'create', ...where, ...settings);
      directory = toTestDirectory(service.baseUrl, created);
      const { health, ...stored } = await data(`/${directory.id}`);
      expect(created).toEqual(stored);
      expect(health.users).toBe(0);
      const { code, stdout } = await rollcall('directories', 'create', '--tenant', 'umbrella', '--product', 'crm');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^SCIM endpoint +http:\/\/\S+$/m);
      expect(stdout).toMatch(/^SCIM secret +[\w-]{20,}$/m);
    },
    testTimeoutMs,
  );

  it(
    'are listed by tenant, by product with their tenants, or all with both',
    async () => {
      expect(await json('directories', 'list', ...where, '--show-secrets')).toEqual(await data('?tenant=acme&product=crm'));
      const { stdout, stderr } = await rollcall('directories', 'list', '--product', 'crm', '--limit', '1', '--wide');
      expect(stdout.split('\n')[0]).toMatch(/^ID +Tenant +Product +Name +Type +Health +Deactivated +Webhook$/);
      expect(stderr).toMatch(/^\S[^\n]* --offset 1 [^\n]*--all\.\n$/);
      expect(await json('directories', 'list', '--product', 'crm', '--all')).toHaveLength(2);
      await service.createDirectory({ tenant: 'umbrella', product: 'billing' });
      const all = await rollcall('directories', 'list');
      expect(all.stdout.split('\n')[0]).toMatch(/^ID +Tenant +Product +Health$/);
      expect(all.stdout).toMatch(/ umbrella +billing /);
      expect(await json('directories', 'list', '--all', '--show-secrets')).toEqual(await data('/all'));
    },
    testTimeoutMs,
  );

  it(
    'hide their secrets unless asked to show them',
    async () => {
      const hidden = await rollcall('directories', 'show', directory.id);
      expect(hidden.stdout).toMatch(/^SCIM secret +•+ \(use --show-secrets to show it\)$/m);
      expect(hidden.stdout).not.toContain(directory.secret);
      expect(hidden.stdout).not.toContain(directory.webhookSecret);
      for (const command of [
        ['list', ...where],
        ['show', directory.id],
        ['update', directory.id, '--name', 'Acme'],
      ]) {
        const printed = JSON.stringify(await json('directories', ...command));
        expect([printed.includes(directory.secret), printed.includes(directory.webhookSecret)]).toEqual([false, false]);
      }
      expect(await json('directories', 'show', directory.id, '--show-secrets')).toMatchObject({ scim: { secret: directory.secret } });
      const shown = await rollcall('directories', 'show', directory.id.toUpperCase(), '--show-secrets');
      expect(shown.stdout).toContain(directory.secret);
      expect(shown.stdout).toContain(directory.webhookSecret);

      await json('directories', 'update', directory.id, '--webhook-url', `${receiver.url}?token=canary`);
      for (const command of [
        ['directories', 'show', directory.id],
        ['directories', 'list', '--wide'],
        ['deliveries', 'state', directory.id],
      ]) {
        const { stdout } = await rollcall(...command);
        expect(stdout).toContain(receiver.url);
        expect(stdout).not.toContain('canary');
      }
      expect((await rollcall('directories', 'show', directory.id, '--show-secrets')).stdout).toContain(`${receiver.url}?token=canary`);
      await json('directories', 'update', directory.id, '--webhook-url', receiver.url);
    },
    testTimeoutMs,
  );

  it(
    'are updated, and get a new secret beside the previous one',
    async () => {
      const updated = (await json('directories', 'update', directory.id, '--name', 'Acme Ltd')) as { name: string };
      expect(updated.name).toBe('Acme Ltd');
      const rotated = (await json('directories', 'rotate-secret', directory.id, '--overlap', '2h')) as {
        secret: string;
        previous_valid_until: string;
      };
      expect(Math.round((Date.parse(rotated.previous_valid_until) - Date.now()) / 60_000)).toBe(120);
      expect((await directory.scim('GET', '/Users')).status).toBe(200);
      const warned = await rollcall('directories', 'rotate-secret', directory.id, '--webhook', '--secret', 'short', '--overlap', '0');
      expect(warned).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Warning: secret /) });
    },
    testTimeoutMs,
  );
});

describe('users and groups', () => {
  it(
    'are listed and shown',
    async () => {
      const user = (await directory.scim('POST', '/Users', { ...ada, name: { givenName: 'Ada\u001b[2J', familyName: 'Lovelace' } })).body;
      const group = (await directory.scim('POST', '/Groups', { displayName: 'Engineers', members: [{ value: user.id }], membrs: [] })).body;
      expect(await json('users', 'list', ...where)).toEqual(await data('/users?tenant=acme&product=crm'));
      const listed = await rollcall('users', 'list', '--directory', directory.id);
      expect(listed.stdout).toContain(`${user.id}  ada@example.com  Ada␛[2J Lovelace  yes`);
      expect((await rollcall('users', 'show', user.id, ...where)).stdout).toContain('ada@example.com');
      expect((await rollcall('groups', 'list', ...where)).stdout).toContain(`${group.id}  Engineers`);
      expect((await rollcall('groups', 'show', group.id, ...where)).stdout).toMatch(/^Members +1$/m);
      expect(await json('groups', 'members', group.id, ...where)).toEqual([{ user_id: user.id }]);
      // Requests are recorded after the response.
      const { stdout: requests } = await until(async () => {
        const shown = await rollcall('directories', 'requests', directory.id);
        return shown.stdout.includes('/Groups') && shown;
      });
      expect(requests).toMatch(/POST +\/Groups +201 +\S.* membrs\b/m);
      expect((await rollcall('stats')).stdout).toBe('Directories  3\n');
    },
    testTimeoutMs,
  );
});

describe('events', () => {
  it(
    'are printed as JSON with the cursor for the next page',
    async () => {
      const list = ['events', 'list', '--directory', directory.id];
      const page = (await json(...list, '--limit', '1')) as { data: unknown[]; list_metadata: { after: string; has_more: boolean } };
      const { body } = await service.api('GET', `/api/v1/events?directoryId=${directory.id}&limit=1`);
      expect(page).toEqual({ data: body.data, list_metadata: { after: expect.any(String), has_more: true } });
      const rest = (await json(...list, '--after', page.list_metadata.after)) as typeof page;
      const all = (await json(...list, '--all')) as typeof page;
      expect([...page.data, ...rest.data]).toEqual(all.data);
      expect([rest.list_metadata.has_more, all.list_metadata.has_more]).toEqual([false, false]);
    },
    testTimeoutMs,
  );
});

describe('deliveries and replays', () => {
  it(
    'are inspected, tested, paused and resumed',
    async () => {
      await until(async () => (await data(`/${directory.id}/delivery`)).backlog === 0);
      const [delivery] = (await json('deliveries', 'list', directory.id)) as { id: string }[];
      expect((await rollcall('deliveries', 'list', directory.id, '--wide')).stdout).toMatch(
        /^ID +Created +Kind +Status +Event type +Events +Attempts/,
      );
      const shown = await rollcall('deliveries', 'show', directory.id, delivery!.id);
      expect(shown.stdout).toMatch(/^Status +delivered$/m);
      expect(shown.stdout).toMatch(/^Events +#\d+(–\d+)?$/m);
      expect(shown.stdout).toMatch(/success +200/);
      expect(await rollcall('deliveries', 'retry', directory.id, delivery!.id)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`: rollcall replay ${directory.id} --delivery ${delivery!.id}\n`),
      });
      expect(await rollcall('deliveries', 'test', directory.id)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Outcome +success$/m),
      });
      receiver.respond = (response) => void response.writeHead(500).end('no');
      const rejected = await rollcall('deliveries', 'test', directory.id, '--show-response');
      receiver.respond = (response) => void response.end('ok');
      expect(rejected).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Response +no$/m) });
      expect((await rollcall('deliveries', 'pause', directory.id)).stdout).toMatch(/^Delivery +paused$/m);
      expect((await rollcall('deliveries', 'state', directory.id)).stdout).toMatch(/^Delivery +paused$/m);
      expect((await rollcall('deliveries', 'resume', directory.id)).stdout).toMatch(/^Delivery +active$/m);
      const other = await service.createDirectory();
      await other.scim('POST', '/Users', { userName: 'pending@example.com' });
      expect(await rollcall('deliveries', 'resume', other.id, '--from', 'now')).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`--from now. Example: rollcall deliveries pause ${other.id}\n`),
      });
    },
    testTimeoutMs,
  );

  it(
    'resend a range and wait for its end, or only count',
    async () => {
      const before = receiver.received.length;
      expect(await rollcall('replay', directory.id, '--from', '1', '--to', '2', '--dry-run')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^2 events [^\n]+\n$/),
      });
      expect(receiver.received).toHaveLength(before);
      const replayed = await rollcall('replay', directory.id, '--from', '1', '--to', '2');
      expect(replayed).toMatchObject({ code: 0, stdout: expect.stringMatching(/ 2 events\.\n$/) });
      expect(replayed.stderr).toMatch(/^Resending \d of 2/);
      expect(receiver.received).toHaveLength(before + 2);
      const events = (await json('events', 'list', '--directory', directory.id)) as { data: { id: string }[] };
      expect(await json('replay', directory.id, events.data[0]!.id, '--no-wait')).toMatchObject({ mode: 'single', total: 1 });
      expect((await rollcall('replays', 'list', directory.id, '--wide')).stdout).toMatch(/range +done +100% +2 of 2/);
    },
    testTimeoutMs,
  );
});

/** Runs the command in a process of its own. */
const directories = (...args: string[]) => runRollcall(['directories', ...args], at(service));

it(
  'a directory is deleted only after confirmation',
  async () => {
    const unconfirmed = await directories('delete', directory.id);
    expect(unconfirmed.code).toBe(7);
    expect(unconfirmed.stderr).toMatch(/^\S[^\n]* \(acme\/crm, 1 user, 1 group\)[^\n]* --yes [^\n]+\n$/);
    expect(await data(`/${directory.id}`)).not.toBeNull();
    expect((await directories('delete', directory.id, '--yes')).code).toBe(0);
    expect(await directories('show', directory.id)).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^\S[^\n]+\.\n$/),
    });
  },
  testTimeoutMs,
);
