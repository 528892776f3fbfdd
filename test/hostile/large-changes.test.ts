import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startOtherTenant } from '../support/hostile/other-tenant.ts';
import type { RunningRollcall } from '../support/process.ts';
import type { TestDirectory } from '../support/service.ts';

const directories = 6;
const users = 40;
const userBytes = 1_000_000;

let installation: Installation;
let service: RunningRollcall;
let tenants: { directory: TestDirectory; ids: string[] }[];
beforeAll(async () => {
  installation = await createInstallation({ env: { NODE_OPTIONS: '--max-old-space-size=512', SCIM_TIMEOUT_MS: '50000' } });
  service = await installation.start();
  tenants = [];
  for (let index = 0; index < directories; index += 1) {
    const directory = await installation.createDirectory({ tenant: `tenant-${index}` });
    const { rows } = await installation.db.raw<{ rows: { id: string }[] }>(
      `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
       select :directoryId, gen_random_uuid(), 'u' || n, 'u' || n, true, '', '', '',
         jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:User'), 'userName', 'u' || n,
           'notes', (select jsonb_agg(repeat('x', 250000)) from generate_series(1, cast(:bytes as int) / 250000))), now(), now()
       from generate_series(1, cast(:users as int)) n returning id`,
      { directoryId: directory.id, users, bytes: userBytes },
    );
    tenants.push({ directory, ids: rows.map(({ id }) => id) });
  }
}, 240_000);
afterAll(async () => {
  await service?.kill();
  await installation?.remove();
});

const peakMib = async () => Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1024);

/** Changes nothing about all of them: they are read, but not written. */
const bulkOf = (ids: string[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations: ids.map((id) => ({
    method: 'PATCH',
    path: `/Users/${id}`,
    data: { Operations: [{ op: 'replace', path: 'userName', value: 'taken' }] },
  })),
});

it('survives small Bulk requests of several tenants that refer to more than its memory holds', async () => {
  const otherTenant = startOtherTenant({ ...(await installation.createDirectory({ tenant: 'other-tenant' })), baseUrl: service.baseUrl });
  const beforeMib = await peakMib();
  const responses = await Promise.all(
    tenants.map(async ({ directory, ids }) => {
      const all = await directory.scim('POST', '/Bulk', bulkOf(ids));
      const some = await directory.scim('POST', '/Bulk', bulkOf(ids.slice(0, 10)));
      return [all.status, all.body.detail, some.status];
    }),
  );
  const figures = await otherTenant.stop();
  process.stdout.write(
    `${directories} tenants name ${users} MB each at once: peak ${beforeMib} MiB before, ${await peakMib()} MiB then; the other tenant waited ${figures.worstMs} ms at most\n`,
  );
  expect(responses).toEqual(tenants.map(() => [413, expect.stringContaining('MAX_MUTATION_BYTES'), 200]));
  expect(figures.failures).toEqual([]);
  // HOSTILE_WORST_MS=2000 is the limit on a quiet machine.
  expect(figures.worstMs).toBeLessThan(Number(process.env['HOSTILE_WORST_MS'] ?? 12_000));
  // The memory that docs/operate/capacity.md recommends for a process.
  expect(await peakMib()).toBeLessThan(1_024);
  expect((await fetch(`${service.baseUrl}/health/live`)).status).toBe(200);
}, 240_000);
