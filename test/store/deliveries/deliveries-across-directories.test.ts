import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Narrowing } from '../../../src/access/narrowing.ts';
import type { DeliveryStatus } from '../../../src/directory/delivery/delivery-log.ts';
import { createListAcrossDirectories } from '../../../src/store/deliveries/deliveries-across-directories.ts';
import type { RunRead } from '../../../src/store/sql/run-read.ts';
import { cloneDatabase } from '../../support/database.ts';

const ofOthers = 30_000;
const page = { offset: 0, limit: 20 };
let database: Awaited<ReturnType<typeof cloneDatabase>>;

/** Many tenants with a few deliveries each, and one with many that were given up. */
beforeAll(async () => {
  database = await cloneDatabase();
  const { db } = database;
  await db.raw(
    `insert into directories (id, tenant, product, name, type)
     select gen_random_uuid(), case n when 0 then 'loud' else 'tenant' || n end, 'app', 'n', 'generic-scim-v2' from generate_series(0, 300) n`,
  );
  await db.raw(
    `insert into webhook_endpoints (id, directory_id, url) select gen_random_uuid(), id, 'https://app.example' from directories`,
  );
  await db.raw(
    `insert into webhook_batches (id, directory_id, endpoint_id, from_sequence, to_sequence, event_count, bytes, sha256, status, created_at)
     select 'msg_' || e.id || n, e.directory_id, e.id, n, n, 1, 1, '', case d.tenant when 'loud' then 'exhausted' else 'delivered' end,
       now() - n * interval '1 second'
     from webhook_endpoints e join directories d on d.id = e.directory_id
       cross join lateral generate_series(1, case d.tenant when 'loud' then ${ofOthers} else 20 end) n`,
  );
  await db.raw('vacuum (analyze)');
});
afterAll(() => database.drop());

/** How many rows each scan of deliveries looks at, at most. */
async function countRows(owner: Narrowing, status: DeliveryStatus | undefined): Promise<number> {
  const { db } = database;
  const statements: { sql: string; bindings: unknown[] }[] = [];
  const note = (query: { sql: string; bindings: unknown[] }) => void statements.push(query);
  db.on('query', note);
  await createListAcrossDirectories((_, query) => query(db))(owner, { status, callerNarrowedTo: owner }, page);
  db.removeListener('query', note);
  const client = await db.client.acquireConnection();
  const { rows } = await client.query(`explain (analyze, format json) ${statements[0]!.sql}`, statements[0]!.bindings);
  await db.client.releaseConnection(client);
  const counts: number[] = [];
  const visit = (plan: Record<string, number> & { Plans?: (typeof plan)[] }) => {
    counts.push(plan['Actual Loops']! * (plan['Actual Rows']! + (plan['Rows Removed by Filter'] ?? 0)));
    plan.Plans?.forEach(visit);
  };
  visit(rows[0]['QUERY PLAN'][0].Plan);
  return Math.max(...counts);
}

it.each<[DeliveryStatus | undefined]>([[undefined], ['exhausted'], ['skipped'], ['delivered']])(
  'reads the deliveries of one tenant with status %p, however many others were given up',
  async (status) => {
    expect(await countRows({ tenant: 'tenant7' }, status)).toBeLessThan(ofOthers / 20);
  },
);

it('gives those who are narrowed to the same a limit of their own, and names how to read less', async () => {
  const reads: Parameters<RunRead>[0][] = [];
  const list = createListAcrossDirectories((read, query) => {
    reads.push(read);
    return query(database.db);
  });
  const directoryId = '01890b5c-9c00-7000-8000-000000000000';
  const owners: Narrowing[] = [{}, { tenant: 'a' }, { product: 'a' }, { tenant: 'a', product: 'a' }, { tenant: 'b' }, { directoryId }];
  for (const owner of owners) await list(owner, { callerNarrowedTo: owner }, page);
  expect(new Set(reads.map((read) => read.directoryId)).size).toBe(owners.length);
  expect(reads.map(({ cost, hint }) => [cost, hint!.includes('tenant and product')])).toEqual([
    ['search', true],
    ['search', false],
    ['search', true],
    ['search', false],
    ['search', false],
    ['search', false],
  ]);
  // A filter does not give a caller another share.
  await list({ tenant: 'a' }, { callerNarrowedTo: {} }, page);
  expect(reads.at(-1)!.directoryId).toBe(reads[0]!.directoryId);
  // An index has these in the order of the list.
  for (const status of ['pending', 'exhausted'] as const) {
    await list({}, { status, callerNarrowedTo: {} }, page);
    expect(reads.at(-1)!.cost).toBe('page');
  }
});
