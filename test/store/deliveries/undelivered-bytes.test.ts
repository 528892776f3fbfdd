import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/logger.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createDeliveryControlStore } from '../../../src/store/deliveries/delivery-control-store.ts';
import { createReplayStore } from '../../../src/store/deliveries/replay-store.ts';
import { createRetentionStore } from '../../../src/store/deliveries/retention-store.ts';
import { readDirectoryHealth } from '../../../src/store/directories/directory-health.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { setUpDrain } from '../../support/drain.ts';
import { createApplyToDirectory } from '../../../src/directory/changes/apply-to-directory.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { statusOf } from '../../support/status-of.ts';
import { randomRuns } from '../../support/random-runs.ts';

const target = setUpDrain();
const log = createLogger('silent');
/** CONCURRENCY_ROUNDS sets the number of rounds. Each round has its own directory. */
const rounds = Array.from({ length: Number(process.env['CONCURRENCY_ROUNDS'] ?? 1) }, (_, index) => index + 1);
const limit = 20_000;
const quotas = { ...defaultQuotas, undeliveredBytes: limit };

const mutate = (change: Change): Mutation => ({ id: newId(), directoryId: target.directoryId, ...change });
const createUser = (size = 10, resourceId = newId()) =>
  mutate({ kind: 'createUser', resourceId, resource: { userName: resourceId, title: 'x'.repeat(size) } });
const createGroup = (members: string[], resourceId = newId()) =>
  mutate({ kind: 'createGroup', resourceId, resource: { displayName: resourceId }, members: members.map((value) => ({ value })) });
const addMembers = (resourceId: string, values: string[]) =>
  mutate({ kind: 'patchGroup', resourceId, operations: [], members: [{ kind: 'add', members: values.map((value) => ({ value })) }] });
const apply = async (...mutations: Mutation[]) =>
  (
    await createApplyToDirectory({ changes: createChangeStore(target.db, { quotas }), onQuotaReached: () => undefined, log })(
      target.directoryId,
      mutations,
    )
  ).outcomes;
const idOf = (mutation: Mutation) => (mutation as Change).resourceId;

const shownBytes = async () => (await readDirectoryHealth(target.db, target.directoryId))!.used.undeliveredBytes;
async function addUpBytes(): Promise<number> {
  const { rows } = await target.db.raw(
    `select cast(coalesce(sum(s.bytes), 0) as float8) as bytes from stored_events s join webhook_endpoints e on e.directory_id = s.directory_id
     where s.directory_id = ? and s.sequence > e.acked_sequence`,
    [target.directoryId],
  );
  return rows[0].bytes;
}
const control = () =>
  createDeliveryControlStore({
    db: target.db,
    secretColumns: createSecretColumns(createKeyring([randomBytes(32)])),
    emitOperatorEvent: createEmitOperatorEvent({ isHeard: false }),
  });

it('rejects changes with 503, deletions included, when a directory has too many undelivered bytes, and stores no outcome', async () => {
  const large = createUser(limit);
  expect(await apply(createUser(), large)).toMatchObject([{ version: 1 }, { version: 1 }]);
  const rejected = createUser();
  const [outcome, deletion] = await apply(rejected, mutate({ kind: 'deleteUser', resourceId: idOf(large) }));
  expect(outcome!.error).toEqual({
    code: 'backlog_full',
    detail: expect.stringContaining('MAX_UNDELIVERED_BYTES_PER_DIRECTORY'),
    quota: 'undelivered_bytes',
  });
  expect(statusOf(deletion!)).toBe(503);
  expect(await target.db('mutations').where({ directory_id: target.directoryId })).toHaveLength(2);
  expect(await target.db('users').where({ directory_id: target.directoryId })).toHaveLength(2);

  await target.drain();
  expect(await shownBytes()).toBe(0);
  // The same mutation again, as in a retry of its workflow.
  expect(await apply(rejected)).toMatchObject([{ version: 1 }]);
  expect(await apply(rejected)).toMatchObject([{ version: 1 }]);
  expect(await target.db('users').where({ directory_id: target.directoryId })).toHaveLength(3);
});

it('exceeds the limit by at most one mutation of a batch', async () => {
  const outcomes = await apply(...Array.from({ length: 64 }, () => createUser(1_000)));
  const statuses = outcomes.map((outcome) => statusOf(outcome) ?? 200);
  const accepted = statuses.filter((status) => status === 200).length;
  expect(statuses).toEqual(Array.from({ length: 64 }, (_, index) => (index < accepted ? 200 : 503)));
  const bytes = await addUpBytes();
  expect(bytes).toBe(await shownBytes());
  expect(bytes).toBeGreaterThanOrEqual(limit);
  expect(bytes - bytes / accepted).toBeLessThan(limit);
});

it('accepts changes of a directory without a webhook, and after the limit is raised', async () => {
  await apply(createUser(limit));
  const endpoint = target.db('webhook_endpoints').where({ directory_id: target.directoryId });
  await endpoint.clone().update({ url: null });
  expect(await apply(createUser())).toMatchObject([{ version: 1 }]);
  await endpoint.clone().update({ url: 'http://127.0.0.1:1/' });
  expect(await apply(createUser())).toMatchObject([{ error: { code: 'backlog_full' } }]);
  await target
    .db('directories')
    .where({ id: target.directoryId })
    .update({ quotas: JSON.stringify({ undelivered_bytes: 3 * limit }) });
  expect(await apply(createUser())).toMatchObject([{ version: 1 }]);
});

it('counts whole events, membership events and shared documents of a transaction', async () => {
  const users = Array.from({ length: 5 }, () => createUser(100));
  await apply(...users);
  await target.drain();
  const ids = users.map(idOf);
  const group = createGroup(ids);
  await apply(group, createUser(3_000), addMembers(idOf(group), []), createUser(50), createGroup(ids.slice(0, 2)));
  const events = await target.db('stored_events').where({ directory_id: target.directoryId }).orderBy('sequence');
  expect(events.map(({ type }) => type)).toContain('group.user_added');
  let total = 0;
  expect(events.map(({ total_bytes: shown }) => shown)).toEqual(events.map(({ bytes }) => (total += bytes)));
});

it('counts rows of the previous version as 0, and never returns a negative number', async () => {
  await apply(createUser(500), createUser(500));
  await target.db('stored_events').where({ directory_id: target.directoryId }).update({ total_bytes: null });
  expect(await shownBytes()).toBe(0);
  await apply(createUser(500));
  const [last] = await target.db('stored_events').where({ directory_id: target.directoryId }).orderBy('sequence', 'desc');
  expect(await shownBytes()).toBe(last.bytes);
});

it.each(rounds)(
  'stays exact over retries, split batches, replays, pauses, skipped events, retention and restarted runs, round %i',
  () => {
    const response = fc.constantFrom(200, 200, 200, 500, 413, 429);
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('push' as const), sizes: fc.array(fc.constantFrom(1, 200, 3_000), { maxLength: 5 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('group' as const), members: fc.nat(6) }) },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('drain' as const),
          responses: fc.array(response, { minLength: 1, maxLength: 6 }),
          batchSize: fc.constantFrom(undefined, 3, 10),
          crashes: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'now' as const, 'backlog' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('replay' as const, 'retain' as const, 'again' as const) }) },
    );
    return fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        const made: string[] = [];
        let last: Mutation | undefined;
        for (const one of steps) {
          switch (one.kind) {
            case 'push': {
              const users = one.sizes.map((size) => createUser(size));
              made.push(...users.map(idOf));
              last = users[0];
              await apply(...users);
              break;
            }
            case 'group':
              await apply((last = createGroup(made.slice(-one.members))), createUser(), addMembers(idOf(last), made.slice(0, one.members)));
              break;
            case 'again':
              if (last) await apply(last);
              break;
            case 'drain': {
              const { responses, batchSize, crashes } = one;
              target.respond = (_, count) => {
                if (crashes && count % 4 === 3) throw new Error('the process ended here');
                return responses[count % responses.length]!;
              };
              await target.drainNow({ batchSize }).catch(() => undefined);
              break;
            }
            case 'pause':
              await control().pause(target.directoryId);
              break;
            case 'now':
            case 'backlog':
              await control().resume(target.directoryId, one.kind);
              break;
            case 'replay': {
              const { acked_sequence: acked } = await target.endpoint();
              if (acked === 0) break;
              await createReplayStore(unlimitedReads(target.db)).create({
                id: newId(),
                directoryId: target.directoryId,
                mode: 'range',
                ranges: [[1, acked]],
                total: acked,
              });
              break;
            }
            case 'retain':
              await createRetentionStore(target.db).dropEvents(-1_000, {
                after: '00000000-0000-0000-0000-000000000000',
                directories: 100,
                rows: 3,
              });
          }
          expect(await shownBytes()).toBe(await addUpBytes());
        }
        target.respond = () => 200;
        await control().resume(target.directoryId, 'backlog');
        await target.drainNow();
        expect([await shownBytes(), await addUpBytes()]).toEqual([0, 0]);
      }),
      { numRuns: randomRuns(25) },
    );
  },
  180_000,
);
