import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createManyUsers } from '../support/create-many-users.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startOtherTenant } from '../support/hostile/other-tenant.ts';
import type { RunningRollcall } from '../support/process.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

const people = 100_000;
const attackMs = 10_000;
/** HOSTILE_WORST_MS=2000 is the limit on a quiet machine, and that of `npm run hostile`. */
const worstMs = Number(process.env['HOSTILE_WORST_MS'] ?? 12_000);

/**
 * Usually a tenth of a second; CANCEL_WITHIN_MS=1000 is the limit on a quiet machine. A search that is not
 * canceled ends at its own limit, after four seconds.
 */
const canceledWithinMs = Number(process.env['CANCEL_WITHIN_MS'] ?? 3_000);

let installation: Installation;
let service: RunningRollcall;
let tenant: TestDirectory;
beforeAll(async () => {
  installation = await createInstallation({ env: { NODE_OPTIONS: '--max-old-space-size=512' } });
  service = await installation.start();
  tenant = await installation.createDirectory({ tenant: 'a' });
  await createManyUsers(installation.db, tenant.id, people);
}, 240_000);
afterAll(async () => {
  await service?.kill();
  await installation?.remove();
});

const nine = Array.from({ length: 9 }, (_, index) => `emails[type eq "work" and value co "nobody${index}"]`).join(' or ');
/** Each is one GET below /Users, or the body of a POST to /Users/.search or /.search. */
const hostile: [string, string, unknown?][] = [
  ['GET', `/Users?filter=${encodeURIComponent(nine)}`],
  ['GET', `/Users?filter=${encodeURIComponent(nine)}&sortBy=emails.value`],
  ['GET', '/Users?sortBy=name.familyName&startIndex=90000&count=1000'],
  ['GET', '/Users?startIndex=99000&count=1000'],
  ['GET', `/Users?count=0&filter=${encodeURIComponent('not (a.b co "x" or groups.display co "y")')}`],
  ['GET', `/Users?cursor=&filter=${encodeURIComponent('urn:example:2.0:User:shoe co "x" or nickName ew "nobody"')}`],
  ['POST', '/Users/.search', { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter: nine, sortBy: 'title', count: 0 }],
  [
    'POST',
    '/.search',
    { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter: 'displayName co "nobody" or title co "x"' },
  ],
];

const activeSearches = async () => {
  const { rows } = await installation.db.raw<{ rows: { query: string }[] }>(
    `select query from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
     and query like '%"users" as "u"%'`,
  );
  return rows.length;
};

/** Twenty connections that send one hostile search after the other, and leave each after `leaveAfterMs`, if it is given. */
async function attack(forMs: number, leaveAfterMs = Infinity): Promise<Record<string, number>> {
  const responses: Record<string, number> = {};
  const endsAt = performance.now() + forMs;
  await Promise.all(
    Array.from({ length: 20 }, async (_, connection) => {
      for (let turn = connection; performance.now() < endsAt; turn += 1) {
        const response = await search(hostile[turn % hostile.length]!, Math.min(endsAt - performance.now(), leaveAfterMs));
        responses[response] = (responses[response] ?? 0) + 1;
      }
    }),
  );
  return responses;
}

async function search([method, path, body]: (typeof hostile)[number], leaveAfterMs: number): Promise<string> {
  const response = await fetch(`${service.baseUrl}/api/scim/v2.0/${tenant.id}${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.secret}`, 'content-type': 'application/scim+json' },
    signal: AbortSignal.timeout(Math.max(1, Math.ceil(leaveAfterMs))),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  if (!response || text === undefined) return 'left';
  const { status, headers } = response;
  const { scimType } = JSON.parse(text) as { scimType?: string };
  return [status, scimType ?? '', headers.has('retry-after') ? 'Retry-After' : ''].join(' ').trim();
}

it.each([
  ['waits for the responses', undefined],
  ['disconnects before the response', 300],
] as const)(
  'serves others while a tenant with 100,000 users searches from 20 connections and %s',
  async (_how, leaveAfterMs) => {
    let hasExited = false;
    void service.exited.then(() => (hasExited = true));
    const other = await installation.createDirectory({ tenant: 'b' });
    const otherTenant = startOtherTenant({ ...other, baseUrl: service.baseUrl });
    const responses = await attack(attackMs, leaveAfterMs);
    // By now the last ones have disconnected.
    const leftMs = performance.now();
    await until(async () => (await activeSearches()) === 0, { timeoutMs: canceledWithinMs });
    const cancelledAfterMs = Math.round(performance.now() - leftMs);
    const figures = await otherTenant.stop();
    console.log({ responses, otherTenant: figures, cancelledAfterMs });
    expect(figures.failures).toEqual([]);
    expect(figures.worstMs).toBeLessThan(worstMs);
    expect(Object.keys(responses).filter((response) => !/^(2|400 tooMany|(429|503)  Retry-After|left)/.test(response))).toEqual([]);
    expect(hasExited).toBe(false);
    await other.scim('GET', '/Users?count=1').then(({ status }) => expect(status).toBe(200));
  },
  180_000,
);
