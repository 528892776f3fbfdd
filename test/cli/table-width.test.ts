import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { textWidth } from '../../src/cli/output/terminal-text.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { deliveryStatuses } from '../../src/directory/delivery/delivery-log.ts';
import { directoryTypes } from '../../src/directory/directories/directory.ts';
import { healthStatuses } from '../../src/directory/health/health-status.ts';
import { eventTypes } from '../../src/directory/event.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';
const deliveryId = 'msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA';
const at = '2026-11-21T08:43:54.120Z';
const longText = 'A text that is much longer than any column of a table on a narrow terminal can be.';
const longest = (words: readonly string[]) => words.toSorted((one, other) => other.length - one.length)[0]!;

const directory = {
  id,
  name: longText,
  tenant: 'a-tenant-with-a-long-name',
  product: 'a-product-with-a-long-name',
  type: longest(directoryTypes),
  deactivated: true,
  health: { status: longest(healthStatuses), advice: longText },
  scim: { endpoint: '', secret: '' },
  webhook: { endpoint: `https://app.example/${'hooks/'.repeat(20)}`, secret: '' },
};
const counts = { created: 0, updated: 0, deleted: 0 };
const run = {
  id,
  directory_id: id,
  state: 'needs_confirmation',
  trigger: 'authorization',
  requested_at: at,
  finished_at: at,
  duration_ms: 12_345,
  seen: { users: 1, groups: 1, members: 1 },
  changed: { users: counts, groups: counts, members: { added: 0, removed: 0 } },
  failed: 0,
  failures: [],
  error: { code: 'needs_confirmation', message: longText },
};
const attempt = { number: 12, started_at: at, outcome: 'timed_out', status_code: 503, timings: { total_ms: 15_000 }, error: longText };
const delivery = {
  id: deliveryId,
  directory_id: id,
  created_at: at,
  kind: 'replay',
  status: longest(deliveryStatuses),
  from_sequence: 12_345_678,
  to_sequence: 12_345_777,
  event_types: [longest(eventTypes), 'user.created'],
  attempts: 12,
  next_attempt_at: at,
  body: null,
  attempt_log: [attempt],
};
const event = {
  event: longest(eventTypes),
  occurred_at: at,
  directory_id: id,
  tenant: directory.tenant,
  product: directory.product,
  sequence: 12_345_678,
  data: { id, email: `${'a'.repeat(100)}@example.com` },
};

const secret = { id, created_at: at, expires_at: at, last_used_at: at };
const quota = { used: 12, limit: 100_000 };
const quotas = ['users', 'groups', 'group_members', 'groups_per_member', 'memberships', 'resource_bytes'];
const otherQuotas = ['undelivered_bytes', 'history_bytes', 'staged_bytes', 'replays', 'searches'];
const notFailing = { failing_since: null, consecutive_failures: 0, next_attempt_at: null, last_error: null };
const health = {
  status: longest(healthStatuses),
  advice: longText,
  last_push_at: at,
  last_error: null,
  quotas: Object.fromEntries([...quotas, ...otherQuotas].map((name) => [name, quota])),
  delivery: { status: 'active', reason: null, backlog: 1, last_success_at: at, ...notFailing },
  scim_secrets: [secret],
};

const overview = {
  directories: 12_345,
  by_health: Object.fromEntries(healthStatuses.map((status) => [status, 1])),
  backlog: { events: 12_345_678, directories: 12_345, oldest_at: at },
  unhealthy: [{ ...directory, delivery_status: 'failing', backlog: 12_345_678, reason: longText, ...notFailing }],
};

/** Each command, and rows that are as wide as they can be. */
const commands: [command: string, data: unknown][] = [
  ['directories list', [directory]],
  ['directories list --product crm', [directory]],
  ['directories list --tenant acme --product crm', [directory]],
  [`directories show ${id}`, { ...directory, scim: { endpoint: '', secret: '' }, webhook: { endpoint: '', secret: '' }, health }],
  [
    `directories requests ${id}`,
    [{ at, method: 'DELETE', path: `/Users/${id}?filter=${longText}`, status: 404, duration_ms: 12_345.6, detail: longText }],
  ],
  [
    `users list --directory ${id}`,
    [{ id, email: `${'a'.repeat(100)}@example.com`, first_name: longText, last_name: longText, active: true }],
  ],
  [`groups list --directory ${id}`, [{ id, name: longText }]],
  [`groups members ${id} --directory ${id}`, [{ user_id: id }]],
  ['events list', [event]],
  [`events list --directory ${id}`, [event]],
  [`deliveries list ${id}`, [delivery]],
  ['deliveries list', [{ ...delivery, failures: 12_345, directory: { name: longText, tenant: longText, product: longText } }]],
  [`deliveries show ${id} ${deliveryId}`, delivery],
  [`replays list ${id}`, [{ id, created_at: at, mode: 'missing', status: 'canceled', done: 12_345, total: 12_345, reason: longText }]],
  [`syncs list ${id}`, [run]],
  [`syncs show ${id} ${id}`, { ...run, failed: 1, failures: [{ external_id: longText, reason: longText }] }],
  ['sync --all', run],
  ['overview', overview],
];

let baseUrl: string;
let data: unknown;
const server = createServer(({ method, url }, response) => {
  const directories = url!.includes('entra') ? [] : [{ directory_id: id, run_id: id }];
  const body = method === 'POST' ? { directories } : data;
  const metadata = { list_metadata: { after: null, has_more: false } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: body, error: null, ...metadata }));
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function printTable(command: string): Promise<string[]> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { COLUMNS: '80', ROLLCALL_URL: baseUrl, ROLLCALL_API_KEY: 'key' };
  await runCommandLine(command.split(' '), { env, stdin: process.stdin, stdout, stderr } as unknown as Shell);
  return `${stdout.read() ?? ''}`.trimEnd().split('\n').slice(-2);
}

describe('a table fits 80 columns', () => {
  it.each(commands)('does not wrap: %s', async (command, worst) => {
    data = worst;
    const [header, row] = await printTable(command);
    expect(header).toMatch(/^(\w[\w/. ]*?(  |$))+$/);
    expect([header, row].filter((line) => textWidth(line!) > 80)).toEqual([]);
  });

  it.each(commands.filter(([command]) => / list|--all| show \S+$| requests/.test(command) && !/users|groups/.test(command)))(
    'shows all columns uncut with --wide: %s',
    async (command, worst) => {
      data = worst;
      const [narrow, wide] = [await printTable(command), await printTable(`${command} --wide`)];
      expect(wide[0]!.length).toBeGreaterThan(narrow[0]!.length);
      expect(wide.join('\n')).not.toContain('…');
    },
  );
});
