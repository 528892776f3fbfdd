import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkClock } from '../../src/cli/doctor/check-clock.ts';
import { withTimeLimit, type Finding } from '../../src/cli/doctor/findings.ts';
import { checkNode } from '../../src/cli/doctor/run-checks.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createInstallation, type Installation, withoutThreads } from '../support/installation.ts';
import { startTlsReceiver } from '../support/hostile-receiver.ts';
import type { RunningRollcall } from '../support/process.ts';
import { until } from '../support/until.ts';
import { callRollcall, runRollcall } from './run-rollcall.ts';

const testTimeoutMs = 180_000;

let installation: Installation;
let worker: RunningRollcall;
let api: RunningRollcall;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  [installation, receiver] = await Promise.all([
    createInstallation({ env: { ...withoutThreads, WEBHOOK_RETRY_SCHEDULE: '3600' } }),
    startReceiver(),
  ]);
  [api, worker] = await Promise.all([
    installation.start({ command: ['api'] }),
    installation.start({ command: ['worker'], env: { PORT: '0' } }),
  ]);
}, testTimeoutMs);
afterAll(async () => {
  await Promise.all([api?.kill(), worker?.kill()]);
  await installation?.remove();
  receiver?.close();
});

/** A receiver that accepts any method and records it. */
async function startReceiver() {
  const found = { url: '', status: 200, methods: [] as (string | undefined)[], close: () => void server.close() };
  const server = createHttpServer((request, response) => {
    found.methods.push(request.method);
    response.writeHead(found.status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  found.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return found;
}

interface Report {
  code: number | null;
  ok: boolean;
  findings: Finding[];
  text: string;
}

async function runDoctor(args: string[] = [], env: Record<string, string> = {}): Promise<Report> {
  const place = { folder: installation.folder, env: { ...installation.env, ...env } };
  const { code, stdout } = await callRollcall(['doctor', '--json', ...args], place);
  return { code, ...(JSON.parse(stdout) as Pick<Report, 'ok' | 'findings'>), text: stdout };
}
const responses = ({ findings }: Report) => findings.map(({ message }) => message).filter((message) => message.includes(' responds ('));
const problems = ({ findings }: Report) =>
  findings.filter(({ verdict }) => verdict === 'problem').map(({ check, message }) => [check, message]);

describe('the doctor', () => {
  it(
    'passes all checks of a healthy installation',
    async () => {
      // Temporal lists pollers of a task queue with a delay.
      const report = await until(
        async () => {
          const found = await runDoctor();
          return found.ok && found.findings.every(({ verdict }) => verdict !== 'warning') && found;
        },
        { timeoutMs: 60_000 },
      );
      expect(problems(report)).toEqual([]);
      expect([report.code, report.ok]).toEqual([0, true]);
      const passed = report.findings.filter(({ verdict }) => verdict === 'ok').map(({ check }) => check);
      expect(new Set(passed)).toEqual(new Set(['Node', 'Configuration', 'Database', 'Clock', 'Temporal', 'Service', 'API key']));
    },
    testTimeoutMs,
  );

  it(
    'reports every failing part, and never a secret',
    async () => {
      const port = await findFreePort();
      const report = await runDoctor(['--webhook-url', 'https://nowhere.invalid/hook'], {
        DATABASE_URL: `postgres://rollcall:hidden@127.0.0.1:${port}/rollcall`,
        TEMPORAL_NAMESPACE: 'nowhere',
        API_KEYS: 'another-key-of-32-characters-or-more',
      });
      expect(report.code).toBe(6);
      expect(problems(report)).toEqual([
        ['Database', expect.any(String)],
        ['Temporal', expect.stringContaining('nowhere')],
        ['API key', expect.stringContaining('API_KEYS')],
        ['Webhook', expect.stringContaining('nowhere.invalid')],
      ]);
      expect(report.findings.filter(({ verdict, advice }) => verdict === 'problem' && advice === undefined)).toEqual([]);
      expect(report.text).not.toMatch(/hidden|another-key/);
    },
    testTimeoutMs,
  );

  it(
    'reports wrong encryption keys, and all invalid settings',
    async () => {
      const other = await runDoctor([], { ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') });
      expect(problems(other)).toEqual([['Database', expect.stringContaining('encryption keys')]]);
      const misspelled = await runDoctor([], { WEBHOOK_ALOWED_NETWORKS: '10.0.0.0/8' });
      expect([
        misspelled.code,
        misspelled.findings.filter(({ check, verdict }) => check === 'Configuration' && verdict === 'warning'),
      ]).toEqual([
        0,
        [
          {
            check: 'Configuration',
            verdict: 'warning',
            message: expect.stringContaining('WEBHOOK_ALOWED_NETWORKS'),
            advice: expect.any(String),
          },
        ],
      ]);
      const wrong = await runDoctor([], { LOG_LEVEL: 'loud', PORT: 'ninety' });
      expect(problems(wrong).filter(([check]) => check === 'Configuration')).toEqual([
        ['Configuration', expect.stringMatching(/^PORT /)],
        ['Configuration', expect.stringMatching(/^LOG_LEVEL /)],
      ]);
    },
    testTimeoutMs,
  );

  it(
    'checks the webhook of a directory, and sends a test event only with --send-test',
    async () => {
      const directory = await installation.createDirectory({ webhook_url: receiver.url });
      const report = await runDoctor(['--directory', directory.id]);
      expect(report.findings.filter(({ check }) => check === 'Webhook').map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
      expect(receiver.methods).toEqual(['HEAD']);
      expect(responses(report)).toEqual([expect.stringContaining('--send-test')]);
      expect(responses(await runDoctor(['--directory', directory.id, '--send-test']))).toEqual([
        expect.not.stringContaining('--send-test'),
      ]);
      receiver.methods.length = 0;
      receiver.status = 500;
      const tested = await runDoctor(['--directory', directory.id, '--send-test']);
      expect(tested.code).toBe(6);
      expect(problems(tested)).toEqual([['Webhook', expect.stringMatching(/ 500/)]]);
      expect(receiver.methods).toEqual(['HEAD', 'POST']);
    },
    testTimeoutMs,
  );

  it(
    'warns about a delivery that fails or is paused, though the receiver responds now',
    async () => {
      const directory = await installation.createDirectory({ webhook_url: receiver.url });
      const warnings = async () =>
        (await runDoctor(['--directory', directory.id])).findings.filter(
          ({ check, verdict, message }) => check === 'Webhook' && verdict === 'warning' && message.startsWith('Delivery'),
        );
      receiver.status = 500;
      await directory.scim('POST', '/Users', { userName: 'waiting@example.com' });
      const [failing] = await until(async () => {
        const found = await warnings();
        return found.length > 0 && found;
      });
      expect(failing!.message).toContain('failing');
      expect(failing!.advice).toContain(directory.id);
      receiver.status = 200;
      const place = { folder: installation.folder, env: installation.env };
      const shown = await callRollcall(['deliveries', 'state', directory.id], place);
      expect(shown.stdout).toMatch(/^Last error +\S+ responded with 500 \(Internal Server Error\)\. \(\S+Z\)$/m);
      expect(shown.stderr).toMatch(new RegExp(`why it failed: rollcall deliveries show ${directory.id} msg_`));
      await callRollcall(['deliveries', 'pause', directory.id], place);
      expect(await warnings()).toEqual([expect.objectContaining({ message: expect.stringContaining('paused') })]);
    },
    testTimeoutMs,
  );

  it(
    'reports an address that webhooks may not use, and an untrusted certificate',
    async () => {
      const blocked = await runDoctor(['--webhook-url', 'http://10.0.0.1/hook']);
      expect(problems(blocked)).toEqual([['Webhook', expect.stringContaining('--webhook-url')]]);
      const tls = await startTlsReceiver((socket) => void socket.end());
      const distrusted = await runDoctor(['--webhook-url', tls.url]);
      await tls.close();
      expect(problems(distrusted)).toEqual([['Webhook', expect.stringContaining('certificate')]]);
      expect(tls.requests).toEqual([]);
    },
    testTimeoutMs,
  );

  it(
    'prints signs and sentences for people, with advice for each problem',
    async () => {
      const place = { folder: installation.folder, env: { ...installation.env, API_KEYS: 'another-key-of-32-characters-or-more' } };
      const { code, stdout } = await runRollcall(['doctor'], place);
      expect(code).toBe(6);
      expect(stdout).toMatch(/^✓ Node +Node \d/);
      expect(stdout).toMatch(/^✗ API key +\S.*API_KEYS\.\n +→ \S/m);
      expect(stdout).toMatch(/\n\S.* 1 problem \(✗\)/);
    },
    testTimeoutMs,
  );

  it(
    'ends in time even if servers accept connections and never respond',
    async () => {
      const silent = createServer(() => undefined);
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const { port } = silent.address() as AddressInfo;
      const fromMs = performance.now();
      const report = await runDoctor(['--webhook-url', `http://127.0.0.1:${port}/`], {
        DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c`,
        TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
        PORT: String(port),
      });
      silent.close();
      expect(performance.now() - fromMs).toBeLessThan(45_000);
      expect(problems(report)).toEqual([
        ['Database', expect.any(String)],
        ['Temporal', expect.any(String)],
        ['Service', expect.stringContaining('(no response in time)')],
        ['Webhook', expect.stringContaining('(no response in time)')],
      ]);
    },
    testTimeoutMs,
  );

  it('checks the data folder of embedded servers', async () => {
    const folder = `${installation.folder}/embedded`;
    await mkdir(`${folder}/.rollcall`, { recursive: true });
    await writeFile(`${folder}/.rollcall/api-key`, 'kept\n');
    const { code, stdout } = await callRollcall(['doctor'], { folder, env: { PORT: String(await findFreePort()) } });
    expect(code).toBe(6);
    expect(stdout).toMatch(/^✓ Data folder +\.rollcall /m);
    expect(stdout).toMatch(/^- +\S.* Postgres /m);
    expect(stdout).not.toContain('encryption-key');
    expect(stdout).toMatch(/^✗ Service +\S.* http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/m);
  });

  it('reports key files that would stop the service from starting', async () => {
    const folder = `${installation.folder}/damaged`;
    await mkdir(`${folder}/.rollcall/postgres`, { recursive: true });
    await writeFile(`${folder}/.rollcall/api-key`, 'kept\n');
    await writeFile(`${folder}/.rollcall/encryption-key`, 'cut off\n');
    await writeFile(`${folder}/.rollcall/postgres/PG_VERSION`, '18\n');
    const { code, stdout } = await callRollcall(['doctor'], { folder, env: { PORT: String(await findFreePort()) } });
    expect(code).toBe(6);
    expect(stdout).toMatch(/^✗ +\.rollcall\/encryption-key .*\n +→ \S/m);
    expect(stdout).toMatch(/^✗ +\.rollcall\/postgres-password .*\n +→ \S/m);
  });
});

it.each([
  [2_000, 'ok'],
  [-2_000, 'ok'],
  [30_000, 'warning'],
  [-30_000, 'warning'],
  [400_000, 'problem'],
])('a clock that is off by %d ms is reported as %s', (offsetMs, verdict) => {
  const nowMs = Date.parse('2026-11-21T12:00:00Z');
  expect(checkClock('the service', new Date(nowMs + offsetMs), { uncertaintyMs: 1_000, nowMs }).verdict).toBe(verdict);
});

it.each([
  ['20.18.9', 'problem'],
  ['20.19.0', 'ok'],
  ['18.20.0', 'problem'],
  ['26.0.0', 'ok'],
])('Node %s is reported as %s', (version, verdict) => {
  expect(checkNode(version).verdict).toBe(verdict);
});

it('a check that hangs or fails is a problem itself', async () => {
  const problem = expect.objectContaining({ check: 'Database', verdict: 'problem' });
  expect(await withTimeLimit('Database', () => new Promise(() => undefined), 20)).toEqual([problem]);
  expect(await withTimeLimit('Database', () => Promise.reject(new Error('a defect')), 1_000)).toEqual([problem]);
});
