import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkNode } from '../../src/cli/doctor/check-node.ts';
import { clockFinding } from '../../src/cli/doctor/clock.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { inTime } from '../../src/cli/doctor/in-time.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startTlsReceiver } from '../support/hostile-receiver.ts';
import type { RunningRollcall } from '../support/process.ts';
import { until } from '../support/until.ts';
import { runRollcall } from './run-rollcall.ts';

const testTimeoutMs = 180_000;

let installation: Installation;
let worker: RunningRollcall;
let api: RunningRollcall;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  [installation, receiver] = await Promise.all([createInstallation(), startReceiver()]);
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

/** A webhook that takes any method, and remembers which it was. */
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

interface Examined {
  code: number | null;
  ok: boolean;
  findings: Finding[];
  text: string;
}

async function examine(args: string[] = [], env: Record<string, string> = {}): Promise<Examined> {
  const place = { folder: installation.folder, env: { ...installation.env, ...env } };
  const { code, stdout } = await runRollcall(['doctor', '--json', ...args], place);
  return { code, ...(JSON.parse(stdout) as Pick<Examined, 'ok' | 'findings'>), text: stdout };
}
const answers = ({ findings }: Examined) => findings.map(({ message }) => message).filter((said) => said.includes(' answers ('));
const problems = ({ findings }: Examined) =>
  findings.filter(({ verdict }) => verdict === 'problem').map(({ check, message }) => [check, message]);

describe('the doctor', () => {
  it(
    'finds nothing where all is well, and looks at every part',
    async () => {
      // A queue remembers who listens, a moment after they began to.
      const examined = await until(
        async () => {
          const found = await examine();
          return found.findings.every(({ verdict }) => verdict !== 'warning') && found;
        },
        { timeoutMs: 60_000 },
      );
      expect(problems(examined)).toEqual([]);
      expect([examined.code, examined.ok]).toEqual([0, true]);
      const wells = examined.findings.filter(({ verdict }) => verdict === 'ok').map(({ message }) => message);
      expect(wells).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^Node \d/),
          'Every setting can be read.',
          expect.stringMatching(/^Postgres \d+.* answers\.$/),
          'Its schema is of this version.',
          'The encryption keys open what is stored.',
          'The clock of the database and this one agree.',
          expect.stringMatching(/^The namespace test-\w+ is there\.$/),
          'Workers listen at the task queue rollcall-deliveries.',
          expect.stringMatching(/^The service at \S+ is ready\.$/),
          'The clock of the service and this one agree.',
          'The service takes the key from API_KEYS.',
        ]),
      );
    },
    testTimeoutMs,
  );

  it(
    'names every part that is wrong, and never a secret',
    async () => {
      const port = await freePort();
      const examined = await examine(['--webhook-url', 'https://nowhere.invalid/hook'], {
        DATABASE_URL: `postgres://rollcall:hidden@127.0.0.1:${port}/rollcall`,
        TEMPORAL_NAMESPACE: 'nowhere',
        API_KEYS: 'another-key-of-32-characters-or-more',
      });
      expect(examined.code).toBe(6);
      expect(problems(examined)).toEqual([
        ['Database', 'Nothing listens at its address.'],
        ['Temporal', 'Temporal has no namespace nowhere.'],
        ['API key', 'The service does not take the key from API_KEYS.'],
        ['Webhook', 'nowhere.invalid is not known to the name server.'],
      ]);
      expect(examined.findings.filter(({ verdict, advice }) => verdict === 'problem' && advice === undefined)).toEqual([]);
      expect(examined.text).not.toMatch(/hidden|another-key/);
    },
    testTimeoutMs,
  );

  it(
    'tells of keys that do not fit, and of all settings that are wrong',
    async () => {
      const other = await examine([], { ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') });
      expect(problems(other)).toEqual([['Database', 'The encryption keys do not open what is stored.']]);
      const misspelt = await examine([], { WEBHOOK_ALOWED_NETWORKS: '10.0.0.0/8' });
      expect([misspelt.code, misspelt.findings.filter(({ check, verdict }) => check === 'Configuration' && verdict === 'warning')]).toEqual(
        [
          0,
          [
            {
              check: 'Configuration',
              verdict: 'warning',
              message: 'Unknown setting WEBHOOK_ALOWED_NETWORKS. Did you mean WEBHOOK_ALLOWED_NETWORKS?',
              advice: expect.any(String),
            },
          ],
        ],
      );
      const wrong = await examine([], { LOG_LEVEL: 'loud', PORT: 'ninety' });
      expect(problems(wrong).filter(([check]) => check === 'Configuration')).toEqual([
        ['Configuration', 'PORT must be a port number from 0 to 65535.'],
        ['Configuration', expect.stringMatching(/^LOG_LEVEL must be fatal, /)],
      ]);
    },
    testTimeoutMs,
  );

  it(
    'looks at the webhook of a directory, and sends a test event only if it is told to',
    async () => {
      const directory = await installation.createDirectory({ webhook_url: receiver.url });
      const examined = await examine(['--directory', directory.id]);
      expect(examined.findings.filter(({ check }) => check === 'Webhook').map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
      expect(receiver.methods).toEqual(['HEAD']);
      expect(answers(examined)).toEqual([expect.stringMatching(/--send-test sends a signed test event\.$/)]);
      expect(answers(await examine(['--directory', directory.id, '--send-test']))).toEqual([expect.not.stringContaining('--send-test')]);
      receiver.methods.length = 0;
      receiver.status = 500;
      const tested = await examine(['--directory', directory.id, '--send-test']);
      expect(tested.code).toBe(6);
      expect(problems(tested)).toEqual([['Webhook', expect.stringMatching(/did not take a signed test event: .+ answered 500/)]]);
      expect(receiver.methods).toEqual(['HEAD', 'POST']);
    },
    testTimeoutMs,
  );

  it(
    'tells of an address that webhooks may not go to, and of a certificate that is not taken',
    async () => {
      const blocked = await examine(['--webhook-url', 'http://10.0.0.1/hook']);
      expect(problems(blocked)).toEqual([['Webhook', expect.stringMatching(/^--webhook-url is not a public address/)]]);
      const tls = await startTlsReceiver((socket) => void socket.end());
      const distrusted = await examine(['--webhook-url', tls.url]);
      await tls.close();
      expect(problems(distrusted)).toEqual([
        ['Webhook', expect.stringMatching(/^The certificate of localhost:\d+ is not taken \(\w+\)\.$/)],
      ]);
      expect(tls.requests).toEqual([]);
    },
    testTimeoutMs,
  );

  it(
    'is told in signs and sentences for people, each problem with what to do',
    async () => {
      const place = { folder: installation.folder, env: { ...installation.env, API_KEYS: 'another-key-of-32-characters-or-more' } };
      const { code, stdout } = await runRollcall(['doctor'], place);
      expect(code).toBe(6);
      expect(stdout).toMatch(/^✓ Node +Node \d/);
      expect(stdout).toMatch(/^✗ API key +The service does not take the key from API_KEYS\.\n +→ Give the right one/m);
      expect(stdout).toMatch(/\n1 problem to put right \(✗\)/);
    },
    testTimeoutMs,
  );

  it(
    'ends in time, whatever takes a connection and says nothing',
    async () => {
      const silent = createServer(() => undefined);
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const { port } = silent.address() as AddressInfo;
      const fromMs = performance.now();
      const examined = await examine(['--webhook-url', `http://127.0.0.1:${port}/`], {
        DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c`,
        TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
        PORT: String(port),
      });
      silent.close();
      expect(performance.now() - fromMs).toBeLessThan(45_000);
      expect(problems(examined).map(([check]) => check)).toEqual(['Database', 'Temporal', 'Service', 'Webhook']);
    },
    testTimeoutMs,
  );

  it('looks at the data folder where servers are embedded', async () => {
    const folder = `${installation.folder}/embedded`;
    await mkdir(`${folder}/.rollcall`, { recursive: true });
    await writeFile(`${folder}/.rollcall/api-key`, 'kept\n');
    const { code, stdout } = await runRollcall(['doctor'], { folder, env: { PORT: String(await freePort()) } });
    expect(code).toBe(6);
    expect(stdout).toMatch(/^✓ Data folder +\.rollcall can be written to\.$/m);
    expect(stdout).toMatch(/^- +Its Postgres does not run now/m);
    expect(stdout).not.toContain('encryption-key');
    expect(stdout).toMatch(/^✗ Service +No service answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\), the address from PORT\.$/m);
  });

  it('names the key files that a start would refuse', async () => {
    const folder = `${installation.folder}/damaged`;
    await mkdir(`${folder}/.rollcall/postgres`, { recursive: true });
    await writeFile(`${folder}/.rollcall/api-key`, 'kept\n');
    await writeFile(`${folder}/.rollcall/encryption-key`, 'cut off\n');
    await writeFile(`${folder}/.rollcall/postgres/PG_VERSION`, '18\n');
    const { code, stdout } = await runRollcall(['doctor'], { folder, env: { PORT: String(await freePort()) } });
    expect(code).toBe(6);
    expect(stdout).toMatch(/^✗ +\.rollcall\/encryption-key is damaged\.$/m);
    expect(stdout).toMatch(/^✗ +\.rollcall\/postgres-password is missing, but the folder contains data that requires it\.$/m);
    expect(stdout).toContain('Restore it from the backup of the data folder');
  });
});

it.each([
  [2_000, 'ok'],
  [-2_000, 'ok'],
  [30_000, 'warning'],
  [-30_000, 'warning'],
  [400_000, 'problem'],
])('a clock that is %d ms away is told as %s', (awayMs, verdict) => {
  const nowMs = Date.parse('2026-11-21T12:00:00Z');
  expect(clockFinding('the service', new Date(nowMs + awayMs), { uncertainMs: 1_000, nowMs }).verdict).toBe(verdict);
});

it.each([
  ['20.18.9', 'problem'],
  ['20.19.0', 'ok'],
  ['18.20.0', 'problem'],
  ['26.0.0', 'ok'],
])('Node %s is told as %s', (version, verdict) => {
  expect(checkNode(version).map((finding) => finding.verdict)).toEqual([verdict]);
});

it('a look that never ends is a finding, and one that fails is, too', async () => {
  const hanging = await inTime('Database', () => new Promise(() => undefined), 20);
  expect(hanging).toEqual([
    expect.objectContaining({ check: 'Database', verdict: 'problem', message: 'There was no answer within 0.02 s.' }),
  ]);
  const failing = await inTime('Database', () => Promise.reject(new Error('a defect')), 1_000);
  expect(failing).toEqual([expect.objectContaining({ verdict: 'problem', message: 'The check itself failed: a defect' })]);
});
