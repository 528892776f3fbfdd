import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { applyInTransaction, createApplyTogether } from '../../../src/directory/changes/apply-to-directory.ts';
import { freezeDelivery } from '../../../src/directory/delivery/freeze-delivery.ts';
import {
  type Attempt,
  type DeliveryTurn,
  type DueDelivery,
  type SendResult,
  type TakenLane,
  turnKey,
} from '../../../src/directory/delivery/ports.ts';
import type { FeedRequest } from '../../../src/directory/feed/ports.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createLogger } from '../../../src/logger.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { createKnownStates } from '../../../src/store/changes/known-states.ts';
import { createChangeStore, type ChangeStoreOptions } from '../../../src/store/changes/change-store.ts';
import { createDeliveryStore } from '../../../src/store/deliveries/delivery-store.ts';
import { createRetentionStore } from '../../../src/store/deliveries/retention-store.ts';
import { createReplayStore } from '../../../src/store/deliveries/replay-store.ts';
import { createDeliveryControlStore } from '../../../src/store/deliveries/delivery-control-store.ts';
import { readBacklog } from '../../../src/store/deliveries/delivery-state.ts';
import { createDirectoryStore } from '../../../src/store/directories/directory-store.ts';
import { createReadEmittedEvents } from '../../../src/store/changes/emitted-events.ts';
import { createStagedMutationStore } from '../../../src/store/changes/staged-mutation-store.ts';
import { createAuthorizationStore } from '../../../src/store/syncs/authorization-store.ts';
import { createEventFeedStore } from '../../../src/store/event-feed/event-feed-store.ts';
import { resourceTypeOf } from '../../../src/store/filters/attribute-source.ts';
import { createGroupStore } from '../../../src/store/groups/group-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns, sealAddresses } from '../../../src/store/encryption/secret-columns.ts';
import { createSyncRunStore } from '../../../src/store/syncs/sync-run-store.ts';
import { createSyncStore } from '../../../src/store/syncs/sync-store.ts';
import { createUserStore } from '../../../src/store/users/user-store.ts';
import { createMutationStartStore } from '../../../src/store/changes/mutation-start-store.ts';
import { createDeliveryLogStore } from '../../../src/store/deliveries/delivery-log-store.ts';
import { createDeletionStore } from '../../../src/store/directories/deletion-store.ts';
import { createTrimStore } from '../../../src/store/directories/trim-store.ts';
import { countSealed, rewrapAll } from '../../../src/store/encryption/rewrap.ts';
import { countGroups, readGroups, weighGroups } from '../../../src/store/users/groups-of-users.ts';
import { cloneDatabase } from '../../support/database.ts';
import { group, page, user } from '../../support/sync-stores.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { createWorkerLeaseStore } from '../../../src/store/deliveries/worker-lease-store.ts';
import { endWatches } from '../../../src/store/deliveries/wake-flags.ts';
import { holder } from '../../support/drain.ts';
import { expectStatements, findUnusedFiles } from './record-statements.ts';

/**
 * The store assembles these statements from parts. The files beside this test hold each of them whole, as text for `psql`. After you change
 * a part, run this test with RECORD_STATEMENTS=1 and review the difference.
 */
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Knex;
let directoryId: string;
const secretText = 'a secret of enough characters';
const secretColumns = createSecretColumns(createKeyring([randomBytes(32)]));
const emitOperatorEvent = createEmitOperatorEvent({ isHeard: false });
beforeAll(async () => {
  database = await cloneDatabase();
  db = database.db;
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = newId();
  await db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
});

const [ada, ben, team, division] = [newId(), newId(), newId(), newId()];
const ids = { ada, ben, team, division };
/** More than a run of events must have. */
const crowd = Array.from({ length: 17 }, newId);
const createUser = (id: string, userName: string): Change => ({
  kind: 'createUser',
  resourceId: id,
  resource: { userName, externalId: `external-${userName}`, emails: [{ value: `${userName}@example.com` }] },
});
const createGroup = (id: string, displayName: string, members: string[]): Change => ({
  kind: 'createGroup',
  resourceId: id,
  resource: { displayName },
  members: members.map((value) => ({ value })),
});

async function apply(changes: Change[], options: ChangeStoreOptions = {}): Promise<void> {
  const mutations = changes.map((change) => ({ id: newId(), directoryId, ...change }));
  const { outcomes } = await applyInTransaction(createChangeStore(db, options), directoryId, mutations);
  expect(outcomes.map(({ error }) => error)).toEqual(changes.map(() => undefined));
}

/** What each change finds: two users, one of them in a group. */
const before: Change[] = [createUser(ids.ada, 'ada'), createUser(ids.ben, 'ben'), createGroup(ids.team, 'Team', [ids.ada, 'external-cy'])];

const changes: Record<string, { changes: Change[]; options?: ChangeStoreOptions }> = {
  'change-create-user': { changes: [createUser(newId(), 'cy')] },
  'change-create-user-and-emit': { changes: [createUser(newId(), 'cy')], options: { returnsEvents: true } },
  // Without reading, in a process that knows the directory.
  'change-create-user-known': { changes: [createUser(newId(), 'dan')], options: { returnsEvents: true, known: createKnownStates() } },
  'change-user-known': {
    changes: [
      {
        kind: 'patchUser',
        resourceId: ids.ada,
        operations: [{ op: 'replace', target: { path: { attribute: 'active' } }, value: false }],
      },
    ],
    options: { returnsEvents: true, known: createKnownStates() },
  },
  'change-replace-user': {
    changes: [{ kind: 'replaceUser', resourceId: ids.ada, resource: { userName: 'ada2', emails: [{ value: 'ada2@example.com' }] } }],
  },
  'change-replace-user-and-emit': {
    changes: [{ kind: 'replaceUser', resourceId: ids.ada, resource: { userName: 'ada2', emails: [{ value: 'ada2@example.com' }] } }],
    options: { returnsEvents: true },
  },
  'change-delete-user': { changes: [{ kind: 'deleteUser', resourceId: ids.ada }] },
  'change-create-group': { changes: [createGroup(ids.division, 'Division', [ids.ben, ids.team, 'external-dee'])] },
  'change-add-and-remove-members': {
    changes: [
      {
        kind: 'patchGroup',
        resourceId: ids.team,
        operations: [],
        members: [
          { kind: 'add', members: [{ value: ids.ben, display: 'Ben' }] },
          { kind: 'remove', values: [ids.ada, 'external-cy'] },
        ],
      },
    ],
    options: { returnsEvents: true },
  },
  'change-replace-members': {
    changes: [{ kind: 'replaceGroup', resourceId: ids.team, resource: { displayName: 'Team 2' }, members: [{ value: ids.ben }] }],
  },
  // Events of many members are bound as runs.
  'change-create-group-of-many': { changes: [createGroup(newId(), 'Many', crowd)] },
  'change-delete-group': { changes: [{ kind: 'deleteGroup', resourceId: ids.team }] },
  'change-batch': { changes: [createUser(newId(), 'cy'), { kind: 'deleteUser', resourceId: ids.ben }] },
  // By several statements, as what takes much memory is read.
  'change-large': {
    changes: [
      createGroup(ids.division, 'Division', [ids.ada, ids.ben]),
      createUser(newId(), 'cy'),
      { kind: 'deleteUser', resourceId: ids.ada },
    ],
    options: { smallBytes: 1 },
  },
};

it.each(Object.entries(changes))('prints the statements of %s', async (name, { changes: some, options }) => {
  for (const change of before) await apply([change], options);
  if (name === 'change-create-group-of-many') await apply(crowd.map((id, index) => createUser(id, `member-${index}`)));
  await expectStatements(db, name, () => apply(some, options));
  await db('directories').where({ id: directoryId }).delete();
});

const together: Record<string, Change[]> = {
  'changes-creates': [createUser(newId(), 'cy'), createUser(newId(), 'dan')],
  'changes-users': [createUser(newId(), 'cy'), { kind: 'replaceUser', resourceId: ids.ada, resource: { userName: 'ada2' } }],
  'changes-everything': [createUser(newId(), 'cy'), createGroup(ids.division, 'Division', [ids.ben])],
};

it.each(Object.entries(together))('prints the statements of %s of two directories', async (name, [change, other]) => {
  const twin = newId();
  await db('directories').insert({ id: twin, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await db('webhook_endpoints').insert({ id: newId(), directory_id: twin, url: 'http://127.0.0.1:1/' });
  for (const one of before) await apply([one]);
  const groups = new Map([
    [twin, [{ id: newId(), directoryId: twin, ...change! }]],
    [directoryId, [{ id: newId(), directoryId, ...other! }]],
  ]);
  const applyTogether = createApplyTogether({
    changes: createChangeStore(db),
    onQuotaReached: () => undefined,
    log: createLogger('silent'),
  });
  await expectStatements(db, name, async () => expect((await applyTogether(groups)).size).toBe(2));
  await db('directories').whereIn('id', [directoryId, twin]).delete();
});

const lists: Record<string, { type: 'User' | 'Group'; filter?: string; sort?: string; after?: string; withRelated?: boolean }> = {
  'list-users': { type: 'User' },
  'list-users-by-user-name': { type: 'User', filter: 'userName eq "Ada"', withRelated: true },
  'list-users-by-external-id': { type: 'User', filter: 'externalId eq "external-ada"', withRelated: true },
  'list-users-by-columns': {
    type: 'User',
    filter: 'displayName eq "Ada" and active eq true and not (meta.created gt "2026-01-01T00:00:00Z")',
  },
  'list-users-by-document': {
    type: 'User',
    filter: 'emails[type eq "work" and value eq "ada@example.com"] or name.familyName sw "L" or urn:acme:costCenter pr',
  },
  'list-users-by-group': { type: 'User', filter: `groups.value eq "${ids.team}" or groups.display co "team"` },
  'list-users-sorted': { type: 'User', sort: 'name.familyName', after: ids.ada },
  'list-users-sorted-by-column': { type: 'User', sort: 'userName' },
  'list-users-with-groups': { type: 'User', withRelated: true },
  'list-groups-by-member': { type: 'Group', filter: `members eq "${ids.ada}" and displayName ew "m"`, withRelated: true },
};

it.each(Object.entries(lists))('prints the statements of %s', async (name, { type, filter, sort, after, withRelated = false }) => {
  for (const change of before) await apply([change]);
  const [attribute, sub] = sort?.split('.') ?? [];
  const query = {
    ...(filter !== undefined && { filter: parseFilter(filter, resourceTypeOf(type)) }),
    ...(attribute !== undefined && { sort: { path: { attribute, ...(sub !== undefined && { sub }) }, descending: false } }),
    page: after === undefined ? { offset: 0, limit: 10 } : { after: { id: after, sortKey: '0lovelace' }, limit: 10 },
  };
  const list = () =>
    type === 'User'
      ? createUserStore(unlimitedReads(db)).list(directoryId, { ...query, withGroups: withRelated })
      : createGroupStore(unlimitedReads(db)).list(directoryId, { ...query, withMembers: withRelated });
  await expectStatements(db, name, list);
  await db('directories').where({ id: directoryId }).delete();
});

const delivered: SendResult = { outcome: 'success', statusCode: 200, details: { requestHeaders: {}, timings: { totalMs: 1 } } };

it.each([
  ['delivery', false],
  ['delivery-logged', true],
])('prints the statements of %s', async (name, isLogged) => {
  await db('directories').where({ id: directoryId }).update({ log_webhook_events: isLogged });
  const deliveries = createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches: false });
  await apply([createUser(newId(), 'ada'), createUser(newId(), 'ben')]);
  await expectStatements(db, name, async () => {
    const taken = (await deliveries.takeLane(directoryId, holder)) as TakenLane;
    const { events } = await deliveries.readEvents(directoryId, { after: 0, upTo: 2, limit: 2, maxBytes: 1_000_000 });
    const [first, second] = events.map((event) => freezeDelivery(taken, [event], { asArray: false, maxEvents: 1 }));
    const begun = (await deliveries.concludeAndBeginAttempt(taken.lane, { freeze: first! })) as { attempt: Attempt };
    const moved = await deliveries.concludeAndBeginAttempt(taken.lane, {
      delivered: { attempt: begun.attempt, result: delivered, batchLimit: undefined },
      freeze: second!,
    });
    // The process ends, and the next one begins the open delivery again.
    const again = (await deliveries.takeLane(directoryId, holder)) as TakenLane;
    const { attempt } = (await deliveries.concludeAndBeginAttempt(again.lane, { open: again.head as DueDelivery })) as { attempt: Attempt };
    expect(moved).toMatchObject({ attempt: { number: 1 } });
    await deliveries.recordFailure(
      again.lane,
      { attempt, result: { ...delivered, outcome: 'http_error' } },
      { kind: 'split', batchLimit: 1 },
    );
    await deliveries.deleteDeliveredBodies(again.lane);
    await deliveries.goIdle(again.lane, { keepWatch: true, usedSecretIds: [] });
  });
});

it('prints the statement of several lanes', async () => {
  const deliveries = createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches: false });
  await apply([createUser(newId(), 'ada'), createUser(newId(), 'ben')]);
  await expectStatements(db, 'delivery-together', async () => {
    const taken = (await deliveries.takeLane(directoryId, holder)) as TakenLane;
    const { lane } = taken;
    const { events } = await deliveries.readEvents(directoryId, { after: 0, upTo: 2, limit: 2, maxBytes: 1_000_000 });
    const [first, second] = events.map((event) => freezeDelivery(taken, [event], { asArray: false, maxEvents: 1 }));
    const take = async (turn: DeliveryTurn) =>
      (await (await deliveries.takeTurns([{ lane, turn }])).get(turnKey(lane))) as { attempt: Attempt };
    const begun = await take({ freeze: first!, countsStart: true });
    const moved = await take({ delivered: { attempt: begun.attempt, result: delivered, batchLimit: undefined }, freeze: second! });
    await take({ delivered: { attempt: moved.attempt, result: delivered, batchLimit: undefined } });
  });
  expect(await db('webhook_endpoints').where({ directory_id: directoryId }).first()).toMatchObject({ acked_sequence: 2 });
});

it('prints the statements of a replay', async () => {
  const deliveries = createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches: false });
  await apply([createUser(newId(), 'ada')]);
  await db('webhook_endpoints').where({ directory_id: directoryId }).update({ acked_sequence: 1 });
  const replayId = newId();
  await createReplayStore(unlimitedReads(db)).create({ id: replayId, directoryId, mode: 'range', ranges: [[1, 1]], total: 1 });
  const taken = (await deliveries.takeLane(directoryId, holder)) as TakenLane;
  const { events } = await deliveries.readEvents(directoryId, { after: 0, upTo: 1, limit: 1, maxBytes: 1_000_000 });
  await expectStatements(db, 'delivery-replay', async () => {
    const delivery = freezeDelivery(taken, events, { asArray: false, maxEvents: 1 }, replayId);
    const { attempt } = (await deliveries.concludeAndBeginAttempt(taken.lane, { freeze: delivery, countsStart: true })) as {
      attempt: Attempt;
    };
    await deliveries.concludeAndBeginAttempt(taken.lane, { delivered: { attempt, result: delivered, batchLimit: undefined } });
    await deliveries.finishReplay(taken.lane, replayId);
  });
});

async function beginAttempt(replayId?: string) {
  const deliveries = createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches: false });
  await apply([createUser(newId(), 'ada'), createUser(newId(), 'ben')]);
  const taken = (await deliveries.takeLane(directoryId, holder)) as TakenLane;
  const { events } = await deliveries.readEvents(directoryId, { after: 0, upTo: 1, limit: 1, maxBytes: 1_000_000 });
  const freezing = freezeDelivery(taken, events, { asArray: false, maxEvents: 1 }, replayId);
  const { attempt } = (await deliveries.concludeAndBeginAttempt(taken.lane, { freeze: freezing })) as { attempt: Attempt };
  return { deliveries, lane: taken.lane, attempt };
}

it('prints the statements of failed attempts', async () => {
  const { deliveries, lane, attempt } = await beginAttempt();
  const failed = { attempt, result: { ...delivered, outcome: 'http_error' as const } };
  const ofReplay = { ...attempt, delivery: { ...attempt.delivery, kind: 'replay' as const, replayId: newId() } };
  await expectStatements(db, 'delivery-failures', async () => {
    await deliveries.recordFailure(lane, failed, { kind: 'retry', delayMs: 1_000, counts: false, clientError: false });
    await deliveries.recordFailure(lane, failed, { kind: 'retry', delayMs: 1_000, counts: true, clientError: true, batchLimit: 1 });
    await deliveries.recordFailure(lane, { ...failed, attempt: ofReplay }, { kind: 'give-up', reason: 'a reason' });
    await deliveries.recordFailure(lane, failed, { kind: 'disable', status: 'disabled', reason: 'a reason', exhausted: true });
  });
});

it('prints the statements that control a delivery', async () => {
  const { attempt } = await beginAttempt();
  const control = createDeliveryControlStore({ db, secretColumns, emitOperatorEvent });
  await expectStatements(db, 'delivery-control', async () => {
    expect(await control.state(directoryId)).toMatchObject({ open: { id: attempt.delivery.id } });
    await control.pause(directoryId);
    expect(await control.resume(directoryId, undefined)).toBe('resumed');
    expect(await control.makeDue(directoryId, attempt.delivery.id)).toBe('due');
    expect(await control.rotateSecret(directoryId, secretText, 60_000)).toMatchObject({});
    expect(await control.rotateSecret(directoryId, `another of ${secretText}`, 60_000)).toMatchObject({});
    expect(await control.testTarget(directoryId)).toMatchObject({ secrets: [{}, {}] });
    await control.pause(directoryId);
    expect(await control.resume(directoryId, 'now')).toBe('resumed');
  });
});

it('prints the statements of replays', async () => {
  const replays = createReplayStore(unlimitedReads(db));
  const control = createDeliveryControlStore({ db, secretColumns, emitOperatorEvent });
  const replayId = newId();
  await expectStatements(db, 'replays', async () => {
    await replays.getProgress(directoryId);
    await replays.create({ id: replayId, directoryId, mode: 'range', ranges: [[1, 1]], total: 1 });
    await replays.list(directoryId, { offset: 0, limit: 10 });
    await replays.get(replayId);
    await replays.get(replayId, directoryId);
  });
  await db('webhook_endpoints').where({ directory_id: directoryId }).update({ acked_sequence: 1 });
  const { attempt } = await beginAttempt(replayId);
  await db('webhook_batches').where({ directory_id: directoryId }).update({ status: 'exhausted' });
  await db('webhook_replays').where({ directory_id: directoryId }).update({ status: 'failed' });
  await expectStatements(db, 'replay-retry', async () => {
    expect(await control.makeDue(directoryId, attempt.delivery.id)).toBe('due');
  });
  await expectStatements(db, 'replay-cancel', () => replays.cancel(directoryId, replayId));
});

it('prints the statements that find deliveries to wake', async () => {
  const stores = [false, true].map((inBatches) => createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches }));
  await expectStatements(db, 'delivery-backlog', async () => {
    for (const deliveries of stores) await deliveries.findStalled(10);
    await readBacklog(db)();
  });
});

it('prints the statements of the leases of workers', async () => {
  const leases = createWorkerLeaseStore(db);
  const { workerId } = holder;
  await expectStatements(db, 'worker-leases', async () => {
    await leases.renewLease(workerId, 3_000);
    await leases.releaseLanes([{ directoryId, endpointId: directoryId, epoch: 1 }]);
    await leases.claimAbandoned([workerId], 100);
    await leases.forgetWorkers([workerId]);
    await leases.endLease(workerId);
    await endWatches(db);
  });
});

const time = new Date(0);
const requests: Record<string, Pick<FeedRequest, 'order' | 'types' | 'from' | 'until'>> = {
  ascending: { order: 'asc' },
  descending: { order: 'desc' },
  filtered: { order: 'asc', types: ['user.created'], from: time, until: time },
};

it.each(Object.entries(requests))('prints the statements of an event feed, %s', async (name, request) => {
  const feed = createEventFeedStore(unlimitedReads(db));
  const owner = { tenant: 't', product: 'p' };
  await expectStatements(db, `event-feed-of-directory-${name}`, () => feed.readDirectory({ directoryId }, { limit: 10, ...request }));
  await expectStatements(db, `event-feed-of-owner-${name}`, () => feed.readAcross(owner, { limit: 10, ...request }));
});

it('prints the statements of a comparison', async () => {
  await db('directories').where({ id: directoryId }).update({ type: 'google', google_admin_email: 'a@b.example' });
  const runs = createSyncRunStore(db);
  const syncs = createSyncStore(db, secretColumns, emitOperatorEvent);
  await runs.request({ id: newId(), directoryId, trigger: 'request' });
  const runId = (await syncs.begin({ directoryId, workflowRun: newId() }))!;
  await expectStatements(db, 'sync-stage', async () => {
    await syncs.stageUsers(directoryId, runId, page(user('1')));
    await syncs.stageGroups(directoryId, runId, page(group('g')));
    await syncs.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['1'] }]);
  });
  await expectStatements(db, 'sync-compare', async () => {
    await syncs.plan(directoryId, runId, 1);
    await syncs.nextChanges(directoryId, runId);
    await db('sync_runs').where({ id: runId }).update({ applied_place: 8e12 });
    await syncs.nextChanges(directoryId, runId);
  });
});

it('prints the statements that find the events of a replay', async () => {
  const replays = createReplayStore(unlimitedReads(db));
  await expectStatements(db, 'replay-events', async () => {
    await replays.findSequence(directoryId, newId(), undefined);
    await replays.findSequencesByTime(directoryId, { from: time }, undefined);
    await replays.findSkipped(directoryId, 'failed', [1, 9], 10, undefined);
    await replays.findSkipped(directoryId, 'missing', [1, 9], 10, undefined);
    await replays.count(directoryId, [[1, 9]], undefined);
  });
});

it('prints the statements of the delivery log', async () => {
  await db('directories').where({ id: directoryId }).update({ log_webhook_events: true });
  const deliveries = createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches: false });
  await apply([createUser(newId(), 'ada')]);
  const taken = (await deliveries.takeLane(directoryId, holder)) as TakenLane;
  const { events } = await deliveries.readEvents(directoryId, { after: 0, upTo: 1, limit: 1, maxBytes: 1_000_000 });
  const delivery = freezeDelivery(taken, events, { asArray: false, maxEvents: 1 });
  const { attempt } = (await deliveries.concludeAndBeginAttempt(taken.lane, { freeze: delivery })) as { attempt: Attempt };
  await deliveries.concludeAndBeginAttempt(taken.lane, { delivered: { attempt, result: delivered, batchLimit: undefined } });
  const log = createDeliveryLogStore({ ...unlimitedReads(db), secretColumns });
  await expectStatements(db, 'delivery-log', async () => {
    await log.list(directoryId, {}, { offset: 0, limit: 10 });
    await log.list(directoryId, { status: 'delivered', kind: 'live' }, { offset: 0, limit: 10 });
    await log.get(directoryId, delivery.id);
    await log.listEvents([directoryId], { offset: 0, limit: 10 });
    expect(await log.getEvent([directoryId], delivery.id)).toMatchObject({ id: delivery.id });
  });
});

it('prints the statements of the groups of users, and of lists across directories', async () => {
  for (const change of before) await apply([change]);
  const users = [{ id: ids.ada }];
  await expectStatements(db, 'groups-of-users', async () => {
    await countGroups(db, directoryId, users);
    await weighGroups(db, directoryId, users);
    await readGroups(db, directoryId, users);
  });
  await expectStatements(db, 'list-rows-across', async () => {
    await createUserStore(unlimitedReads(db)).listAcross([directoryId], { offset: 0, limit: 10 });
    await createGroupStore(unlimitedReads(db)).listAcross([directoryId], { offset: 0, limit: 10 });
  });
  await db('directories').where({ id: directoryId }).delete();
});

it('prints the statements of the starts of mutations', async () => {
  const starts = createMutationStartStore(db, emitOperatorEvent);
  const mutations = [{ id: newId(), directoryId }];
  await expectStatements(db, 'mutation-starts', async () => {
    await starts.countFirstStarts(mutations);
    await starts.countRetry(mutations[0]!);
    await starts.uncount(mutations);
    await starts.conclude(mutations);
  });
});

it('prints the statements of a deletion', async () => {
  await db('all_directories').where({ id: directoryId }).update({ deleting_at: new Date() });
  const store = createDeletionStore(db);
  await store.deleteSome(directoryId, 10);
  await expectStatements(db, 'deletion', () => store.deleteSome(directoryId, 10));
});

it('prints the statement that finds directories with too much history', async () => {
  await expectStatements(db, 'find-surplus', () =>
    createTrimStore(db).findSurplus({ after: '00000000-0000-0000-0000-000000000000', limit: 10 }),
  );
});

it('prints the statements that delete events and their documents', async () => {
  await db('directories').whereNot({ id: directoryId }).delete();
  // Membership events refer to the document of a large user.
  const resource = { userName: 'ada', note: 'a'.repeat(100_000) };
  await apply([{ kind: 'createUser', resourceId: ids.ada, resource }, createGroup(ids.team, 'Team', [ids.ada])]);
  await db('webhook_endpoints').where({ directory_id: directoryId }).update({ acked_sequence: 3 });
  const deliveries = createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches: false });
  const { lane } = (await deliveries.takeLane(directoryId, holder)) as TakenLane;
  expect(await db('event_documents').where({ directory_id: directoryId })).toHaveLength(1);
  await expectStatements(db, 'drop-documents', async () => {
    await deliveries.deleteDeliveredBodies(lane);
    await createRetentionStore(db).dropEvents(604_800_000, { after: '00000000-0000-0000-0000-000000000000', directories: 10, rows: 10 });
    await createTrimStore(db).dropEvents(directoryId, 1_000, 10);
  });
  expect(await db('event_documents').where({ directory_id: directoryId })).toEqual([]);
  await db('directories').where({ id: directoryId }).delete();
});

it('prints the statements that re-encrypt a column', async () => {
  const [newest, former] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  await db('webhook_secrets').delete();
  const endpoint = await db('webhook_endpoints').where({ directory_id: directoryId }).first<{ id: string }>('id');
  const sealed = createSecretColumns(createKeyring([former])).seal(directoryId, 'webhook_secret', secretText);
  await db('webhook_secrets').insert({ id: newId(), directory_id: directoryId, endpoint_id: endpoint.id, secret: sealed });
  // More than one batch.
  const staged = createStagedMutationStore(db, createKeyring([former]));
  for (let count = 0; count < 5; count += 1) await staged.put({ id: newId(), directoryId, ...createUser(newId(), 'ada') });
  await expectStatements(db, 'count-sealed', () => countSealed(db));
  await expectStatements(db, 'rewrap', () => rewrapAll(db, createKeyring([newest, former]), () => undefined));
});

it('prints the statements that encrypt webhook addresses', async () => {
  await db('webhook_endpoints').update({ has_plain_address: false });
  await db('webhook_endpoints')
    .where({ directory_id: directoryId })
    .update({ url: 'https://receiver.acme.example/hooks?key=0123456789abcdef', has_plain_address: true });
  await expectStatements(db, 'seal-addresses', async () => {
    expect(await sealAddresses(db, secretColumns)).toBe(1);
  });
});

it('prints the statements of directories', async () => {
  const store = createDirectoryStore(db, secretColumns, emitOperatorEvent);
  const id = newId();
  const owner = { tenant: 'acme', product: 'app' };
  const webhook = { url: 'https://receiver.acme.example/hooks', secret: secretText };
  await expectStatements(db, 'directories', async () => {
    await store.create({
      ...owner,
      id,
      name: 'Acme',
      type: 'generic-scim-v2',
      deactivated: false,
      logWebhookEvents: false,
      legacySignatures: false,
      scimSecret: secretText,
      webhook,
      google: undefined,
    });
    expect(await store.getScimAccess(id)).toMatchObject({ secrets: [{ secret: secretText }] });
    expect(await store.findIds({ directoryId: id })).toEqual([id]);
    expect(await store.findIds({ directoryId: id, ...owner })).toEqual([id]);
    expect(await store.findIds(owner)).toEqual([id]);
    expect(await store.list({ product: owner.product }, { offset: 0, limit: 10 })).toMatchObject([{ id }]);
    expect(await store.list(owner, { offset: 0, limit: 10 })).toMatchObject([{ id, webhook }]);
    expect(await store.health(id)).toMatchObject({ users: 0 });
    await db('webhook_endpoints').where({ directory_id: id }).update({ status: 'misconfigured' });
    await store.update(id, { name: 'A', deactivated: true, logWebhookEvents: true, legacySignatures: true, quotas: { users: 1 }, webhook });
    await store.update(id, { webhook: null, quotas: null });
    await store.remove(id);
  });
});

it('prints the statements of the authorization of a pulled directory', async () => {
  await db('directories').where({ id: directoryId }).update({ type: 'google' });
  const store = createDirectoryStore(db, secretColumns, emitOperatorEvent);
  const authorizations = createAuthorizationStore(db, secretColumns, emitOperatorEvent);
  const tokens = { accessToken: `access token, ${secretText}`, refreshToken: `refresh token, ${secretText}` };
  await expectStatements(db, 'authorization', async () => {
    await store.update(directoryId, { google: { ...tokens, domain: 'acme.example', groups: ['g'], orgUnits: [] } });
    await store.update(directoryId, { google: { adminEmail: 'a@b.example', serviceAccountKey: secretText } });
    await authorizations.saveTokens(directoryId, 2, { accessToken: tokens.accessToken, expiresAt: time });
  });
});

it('prints the statements of sync runs', async () => {
  await db('directories').where({ type: 'google' }).update({ type: 'generic-scim-v2' });
  await db('directories').where({ id: directoryId }).update({ type: 'google', google_admin_email: 'a@b.example' });
  const runs = createSyncRunStore(db);
  const syncs = createSyncStore(db, secretColumns, emitOperatorEvent);
  await expectStatements(db, 'sync-runs', async () => {
    await runs.requestAll();
    await runs.requestScheduled(directoryId);
    await syncs.begin({ directoryId, workflowRun: newId() });
    const runId = (await syncs.begin({ directoryId, workflowRun: newId() }))!;
    expect(await syncs.enter(directoryId, runId)).toMatchObject({ stagedBytes: 0 });
    await syncs.clear(directoryId, 10);
  });
});

it('prints the statements that read one user, one group and the events of a change', async () => {
  for (const change of before) await apply([change]);
  const users = createUserStore(unlimitedReads(db));
  const groups = createGroupStore(unlimitedReads(db));
  await expectStatements(db, 'read-resources', async () => {
    expect(await users.get(directoryId, ids.ada)).toMatchObject({ id: ids.ada });
    expect(await users.get(directoryId, ids.ada, { withGroups: true })).toMatchObject({ groups: [{ id: ids.team }] });
    expect(await groups.get(directoryId, ids.team, { withMembers: true })).toMatchObject({ members: [{ value: ids.ada }, {}] });
    expect(await createReadEmittedEvents(db)(directoryId, 1, 2)).toMatchObject({ events: [{ sequence: 1 }, { sequence: 2 }] });
  });
  await db('directories').where({ id: directoryId }).delete();
});

it('compares every file of this folder', () => {
  expect(findUnusedFiles()).toEqual([]);
});
