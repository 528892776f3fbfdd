import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { freezeDelivery } from '../../../src/directory/delivery/freeze-delivery.ts';
import {
  type Attempt,
  type DeliveryTurn,
  type DueDelivery,
  type SendResult,
  type TakenLane,
  turnKey,
} from '../../../src/directory/delivery/ports.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { type ChangeStoreOptions, createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createDeliveryStore } from '../../../src/store/deliveries/delivery-store.ts';
import { createRetentionStore } from '../../../src/store/deliveries/retention-store.ts';
import { createKeyValue, readKeyValue } from '../../../src/access/key-value.ts';
import { createSetupLinkStore } from '../../../src/store/setup-links/setup-link-store.ts';
import { createAttributeStore } from '../../../src/store/attributes/attribute-store.ts';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { createRoleStore } from '../../../src/store/roles/role-store.ts';
import { createRecomputeStore } from '../../../src/store/attributes/recompute-store.ts';
import { createErasureStore } from '../../../src/store/erasures/erasure-store.ts';
import { createDriftStore } from '../../../src/store/drift/drift-store.ts';
import { openSnapshot } from '../../../src/store/snapshots/snapshot-store.ts';
import type { OpenSnapshot } from '../../../src/directory/snapshots/ports.ts';
import { createPersonExportStore } from '../../../src/store/erasures/person-export-store.ts';
import { createScimClientStore } from '../../../src/store/scim-clients/scim-client-store.ts';
import { createFileReader, createFileStore } from '../../../src/store/files/file-store.ts';
import { createUploadTokenStore } from '../../../src/store/upload-tokens/upload-token-store.ts';
import { createSessionStore } from '../../../src/store/sessions/session-store.ts';
import { createApiKeyStore } from '../../../src/store/api-keys/api-key-store.ts';
import { createReplayStore } from '../../../src/store/deliveries/replay-store.ts';
import { createDeliveryControlStore } from '../../../src/store/deliveries/delivery-control-store.ts';
import { readBacklog } from '../../../src/store/deliveries/delivery-state.ts';
import { createDirectoryStore } from '../../../src/store/directories/directory-store.ts';
import { unhealthyStatuses } from '../../../src/directory/health/health-status.ts';
import { createAnnounceRecovered, createAnnounceRecovery } from '../../../src/store/deliveries/delivery-alerts.ts';
import { createAnnounceStale } from '../../../src/store/directories/stale-directories.ts';
import { createHealthSource } from '../../../src/store/directories/health-measures.ts';
import { createStagedMutationStore } from '../../../src/store/changes/staged-mutation-store.ts';
import { createAuthorizationStore } from '../../../src/store/syncs/authorization-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns, sealAddresses } from '../../../src/store/encryption/secret-columns.ts';
import { createSyncRunStore } from '../../../src/store/syncs/sync-run-store.ts';
import { createSyncStore } from '../../../src/store/syncs/sync-store.ts';
import { createMutationStartStore } from '../../../src/store/changes/mutation-start-store.ts';
import { createDeliveryLogStore } from '../../../src/store/deliveries/delivery-log-store.ts';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { createDirectoryBatchStore } from '../../../src/store/directories/directory-batch-store.ts';
import { createDeletionStore } from '../../../src/store/directories/deletion-store.ts';
import { createTrimStore } from '../../../src/store/directories/trim-store.ts';
import { countSealed, rewrapAll } from '../../../src/store/encryption/rewrap.ts';
import { group, page, user } from '../../support/sync-stores.ts';
import { subjectOf } from '../../../src/directory/recorded-requests/user-requests.ts';
import { createUserRequestStore, dropExpiredUserRequests } from '../../../src/store/recorded-requests/user-request-store.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { createWorkerLeaseStore } from '../../../src/store/deliveries/worker-lease-store.ts';
import { endWatches } from '../../../src/store/deliveries/wake-flags.ts';
import { holder } from '../../support/drain.ts';
import { expectStatements, findUnusedFiles } from './record-statements.ts';
import { applyChanges, createGroup, createUser, useDirectory } from './directory.ts';

/**
 * The store assembles these statements from parts. The files beside this test hold each of them whole, as text for `psql`. After you change
 * a part, run this test with RECORD_STATEMENTS=1 and review the difference.
 */
let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));
const secretText = 'a secret of enough characters';
const secretColumns = createSecretColumns(createKeyring([randomBytes(32)]));
const emitOperatorEvent = createEmitOperatorEvent({ isHeard: false });
const ids = { ada: newId(), team: newId() };
const apply = (changes: Change[], options?: ChangeStoreOptions) => applyChanges({ db, directoryId }, changes, options);

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

const newValue = () => readKeyValue(createKeyValue())!;

it('prints the statements of API keys', async () => {
  const store = createApiKeyStore(db);
  const [within, id] = [{ tenant: 'acme', product: 'app', directoryId }, newId()];
  const value = newValue();
  await expectStatements(db, 'api-keys', async () => {
    const limits = { allowedNetworks: ['10.0.0.0/8'], expiresAt: undefined, createdBy: 'root_1' };
    await store.create(within, { id, name: 'a', scopes: ['people:read'], narrowed: within, ...limits }, value);
    await store.list(within, { offset: 0, limit: 10 });
    await store.get(within, id);
    await store.findByPrefix(value.prefix);
    await store.noteUse(id);
    await store.update(within, id, { name: 'b' });
    await store.rotate(within, id, { value: newValue(), overlapMs: 1_000 });
    await store.revoke(within, id);
  });
});

it('prints the statements of sessions', async () => {
  const store = createSessionStore(db);
  const [id, at, hash] = [newId(), new Date('2026-01-01T00:00:00Z'), Buffer.alloc(32, 1)];
  const expiresAt = new Date('2999-01-01T00:00:00Z');
  const actor = { type: 'person', id: 'oidc:ada', name: 'Ada' } as const;
  const session = {
    id,
    personId: actor.id,
    personName: actor.name,
    method: 'oidc',
    grant: { role: 'admin', fingerprint: 'settings' },
    createdAt: at,
    expiresAt,
  } as const;
  await expectStatements(db, 'sessions', async () => {
    await store.create(session, { hash, formerHash: Buffer.alloc(32, 2) }, actor);
    expect(await store.findByHash(hash)).toMatchObject({ id, grant: session.grant });
    await store.noteUse(id, expiresAt);
    await store.end(id, at);
    await store.endAllOfPerson(session, at);
    await store.endAllOfPerson({ personId: id, grant: { key: { prefix: 'rcl_00000000' } } }, at);
    await store.endAll(at);
    await store.createLoginLink(hash, { key: { rootKeyHash: hash }, createdAt: at, expiresAt });
    expect(await store.findLoginLink(hash, at)).toBeDefined();
    const another = { hash: Buffer.alloc(32, 3), formerHash: undefined, linkHash: hash };
    expect(await store.create({ ...session, id: newId() }, another, actor)).toBeDefined();
    await store.dropExpired(10);
  });
});

it('prints the statements of setup links', async () => {
  const store = createSetupLinkStore({ db, secretColumns, emitOperatorEvent });
  const [within, id, token] = [{ tenant: 't', product: 'p' }, 'link', '0'.repeat(48)];
  const webhook = { webhookUrl: 'https://app.example', webhookSecret: 'secret', adminEmails: [] };
  const settings = {
    name: undefined,
    provider: undefined,
    returnUrl: undefined,
    revokeOnCompletion: true,
    roles: ['admin'],
    mayDelete: true,
  };
  const createdBy = { type: 'root_key', id: 'root_1', name: 'key' } as const;
  const directory = (await createDirectoryStore(db, secretColumns, emitOperatorEvent).get(directoryId))!;
  await expectStatements(db, 'setup-links', async () => {
    await store.create(within, { id, token, ...within, ...webhook, ...settings, createdBy }, { ttlMs: 60_000, replaces: true });
    await store.list(within, { offset: 0, limit: 10 });
    await store.get(within, id);
    await store.findByToken(token);
    await store.markOpened({ id, token });
    expect(
      await store.createDirectory({ id, token }, { ...directory, id: newId(), type: 'okta-scim-v2', webhook: undefined }),
    ).toMatchObject({ tenant: 't' });
    expect(await store.complete({ id, token }, directoryId)).toBe(true);
    await store.revoke(within, id);
    await store.dropExpired(10);
  });
});

it('prints the statements of OAuth clients', async () => {
  const store = createScimClientStore(db);
  const [id, at, hash] = [newId(), new Date('2026-01-01T00:00:00Z'), Buffer.alloc(32, 1)];
  const expiresAt = new Date('2999-01-01T00:00:00Z');
  await expectStatements(db, 'scim-clients', async () => {
    await store.create(directoryId, { id, name: 'a', expiresAt, secretHash: hash }, at);
    await store.list(directoryId, { offset: 0, limit: 10 });
    await store.get(directoryId, id);
    expect(await store.findWithSecret(id)).toMatchObject({ client: { id, directoryId } });
    expect(await store.addToken({ directoryId, clientId: id, hash, expiresAt })).toBe(true);
    await store.update(directoryId, id, { name: 'b', expiresAt: new Date('2998-01-01T00:00:00Z') }, at);
    await store.revokeTokens(directoryId, id);
    expect(await store.hasActive(directoryId, at)).toBe(true);
    await store.revoke(directoryId, id);
    await store.dropExpiredTokens(10);
  });
});

const row = (externalId: string, line: number) => ({ externalId, line, nameKey: externalId, cells: { idp_id: externalId } });

it('prints the statements of uploaded files', async () => {
  await db('directories').where({ id: directoryId }).update({ type: 'csv' });
  const store = createFileStore(db);
  const [users, groups, members, setId, runId] = Array.from({ length: 5 }, newId) as [string, string, string, string, string];
  const files = { users, groups, members };
  await expectStatements(db, 'files', async () => {
    for (const [kind, id] of Object.entries(files)) await store.begin(directoryId, { id, kind: kind as 'users' });
    expect(await store.addRows(directoryId, users, [row('u1', 2), row('u1', 3)])).toEqual([3]);
    await store.addRows(directoryId, groups, [row('g1', 2)]);
    await store.addMembers(directoryId, members, [{ line: 2, userId: 'u1', groupId: 'g1' }]);
    await store.findRepeatedNames(directoryId, users, 10);
    for (const id of [users, groups, members]) await store.end(directoryId, id, 1);
    for (const kind of ['users', 'groups'] as const) await store.findUnknown(directoryId, files, kind, 10);
    await store.keepOpen(directoryId, { users });
    expect(await store.findOpen(directoryId)).toEqual({ users });
    await db('uploaded_files').where({ id: users }).update({ set_id: null });
    expect(await store.complete(directoryId, { id: setId, runId, files, isDryRun: false })).toMatchObject({ runId });
    const reader = createFileReader(db);
    expect(await reader.findFile(directoryId, setId, 'users')).toBe(users);
    await reader.listRows(directoryId, users, '', 10);
    await reader.listMembers(directoryId, members, 'g1', 0, 10);
    const unused = newId();
    await store.begin(directoryId, { id: unused, kind: 'users' });
    await store.discard(directoryId, [unused]);
    while ((await store.deleteSome(10, directoryId)) > 0);
  });
});

it('prints the statements of upload tokens', async () => {
  await db('directories').where({ id: directoryId }).update({ type: 'csv' });
  const store = createUploadTokenStore(db);
  const [id, at, hash] = [newId(), new Date('2026-01-01T00:00:00Z'), Buffer.alloc(32, 1)];
  await expectStatements(db, 'upload-tokens', async () => {
    await store.create(directoryId, { id, name: 'a', expiresAt: new Date('2999-01-01T00:00:00Z'), hash }, at);
    await store.list(directoryId, { offset: 0, limit: 10 });
    expect(await store.findByHash(hash)).toMatchObject({ id, directoryId });
    await store.noteUse(directoryId, id);
    await store.revoke(directoryId, id);
  });
});

it('prints the statements of an export and an erasure', async () => {
  const userId = newId();
  await apply([createUser(userId, 'ada')]);
  const person = { directoryId, userId, publicId: userId, values: ['ada'], externalIds: [], isUser: true };
  const exports = createPersonExportStore(unlimitedReads(db));
  await expectStatements(db, 'person-export', async () => {
    expect(await exports.findTraces(person)).toEqual({ found: 'some', values: ['ada', 'ada@example.com'], externalIds: ['external-ada'] });
    await exports.listMemberships(person, undefined);
    for (const order of ['asc', 'desc'] as const) {
      for (const part of ['own', 'searched'] as const) {
        expect((await exports.listEvents(person, { part }, order)).items).toHaveLength(part === 'own' ? 1 : 0);
        await exports.listDeliveries(person, { part }, order);
      }
    }
  });
  const store = createErasureStore(db);
  const requestedBy = { type: 'root_key', id: 'root_1', name: 'root' } as const;
  await expectStatements(db, 'erasure', async () => {
    await store.request({ id: newId(), directoryId, userId, publicId: userId, valueKeys: ['ada'], requestedBy });
    await store.findByRequestedId(directoryId, 'other');
    await store.findUndeleted(directoryId, userId);
    await store.markDeleted(directoryId, userId, { users: 1 });
    while ((await store.eraseNextPart(directoryId, userId)) === 'more');
    await store.get(directoryId, userId);
    await store.findUnfinished(10);
    await store.dropFinished(10);
  });
});

it('prints the statements of requests about users', async () => {
  const store = createUserRequestStore({ ...unlimitedReads(db), random: () => 0 });
  const common = {
    directoryId,
    method: 'GET',
    path: '/Users/x',
    status: 200,
    detail: undefined,
    durationMs: 1,
    requestId: 'r',
    isShared: false,
  };
  await expectStatements(db, 'user-requests', async () => {
    await store.addForUsers([{ ...common, id: newId(), at: new Date(), subjects: [subjectOf('ada')] }]);
    expect((await store.listForUser(directoryId, [subjectOf('ada')], { offset: 0, limit: 10 })).resources).toHaveLength(1);
    await dropExpiredUserRequests(db, 86_400_000, 10);
  });
});

it('prints the statements of attributes and their recomputation', async () => {
  await apply([createUser(newId(), 'ada')]);
  const attributes = createAttributeStore(db);
  const recomputes = createRecomputeStore(db);
  await expectStatements(db, 'attributes', async () => {
    const schema = [{ name: 'job_title', type: 'string', multiValued: false, required: true }] as const;
    await attributes.setSchema('app', [...schema], async (_former, countMapped) => void (await countMapped(['level'])));
    const changed = await attributes.setMapping(directoryId, { job_title: { path: 'title' } }, () => undefined);
    const key = changed!.recompute!;
    await recomputes.mayWakeDelivery(key);
    const { userIds } = (await recomputes.nextUsers(key, 64))!;
    await recomputes.postpone(key);
    await recomputes.noteProgress(key, { after: userIds[0]!, users: userIds.length });
    expect(await recomputes.nextUsers(key, 64)).toMatchObject({ userIds: [], isNoted: false });
    await recomputes.finish(key);
    await attributes.getSchema('app');
    expect(await attributes.getMapping(directoryId)).toMatchObject({ recompute: { done: 1 } });
    await recomputes.findUnfinished(10);
    await attributes.setSchema('app', [], () => Promise.resolve());
  });
});

it('prints the statements of role tables, and of the users whom a change of groups concerns', async () => {
  const [ada, team] = [newId(), newId()];
  await apply([createUser(ada, 'ada')]);
  const [roles, recomputes] = [createRoleStore(db), createRecomputeStore(db)];
  const table = toRoleTable({ groups: [{ groupName: 'Team', role: 'member' }] });
  await expectStatements(db, 'roles', async () => {
    const changed = await roles.set(directoryId, table);
    await roles.get(directoryId);
    await roles.findPlaces(directoryId, table, [ada]);
    await recomputes.finish(changed!.recompute!);
  });
  await expectStatements(db, 'recompute-change-of-named-group', () => apply([createGroup(team, 'Team', [ada])]));
  await expectStatements(db, 'recompute-rename-of-named-group', () =>
    apply([{ kind: 'replaceGroup', resourceId: team, resource: { displayName: 'Others' } }]),
  );
  await expectStatements(db, 'recompute-noted', async () => {
    const recompute = await db('attribute_recomputes').where({ directory_id: directoryId }).first('id');
    const next = (await recomputes.nextUsers({ directoryId, recomputeId: recompute!.id }, 64))!;
    expect(next).toMatchObject({ userIds: [ada], isNoted: true });
    const { userIds, isNoted } = next;
    const mutation = { id: newId(), directoryId, kind: 'recompute', userIds, isNoted } as const;
    await applyInTransaction(createChangeStore(db), directoryId, [mutation], undefined, { reason: 'mapping' });
  });
});

it('prints the statements of a snapshot and of drift', async () => {
  const [ada, team] = [newId(), newId()];
  await apply([createUser(ada, 'ada'), createGroup(team, 'Team', [ada])]);
  await expectStatements(db, 'snapshot', async () => {
    const opened = await openSnapshot(db, { directoryId, maxConcurrent: 1, signal: new AbortController().signal });
    const snapshot = opened as OpenSnapshot;
    for await (const users of snapshot.users()) expect(users).toHaveLength(1);
    for await (const groups of snapshot.groups()) expect(groups).toMatchObject([{ memberCount: 1 }]);
    for await (const { count, text } of snapshot.memberships())
      expect([count, JSON.parse(text)]).toEqual([1, { type: 'membership', data: { group_id: team, user_id: ada } }]);
    expect(await snapshot.count()).toEqual({ users: 1, groups: 1, memberships: 1 });
    await snapshot.close();
  });
  const drift = createDriftStore(unlimitedReads(db));
  await expectStatements(db, 'drift', async () => {
    const range = { directoryId, after: '', until: undefined, withHashes: true, limit: 10 };
    const { signal } = new AbortController();
    expect(await drift.readRange({ ...range, type: 'users', groupKey: undefined, until: ada }, signal)).toMatchObject([{ id: ada }]);
    expect(await drift.readRange({ ...range, type: 'members', groupKey: team }, signal)).toEqual([{ id: ada, hash: null }]);
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
    await replays.get(replayId, {});
    await replays.get(replayId, { directoryId });
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
    for (const deliveries of stores) await deliveries.findStalled(10, 30_000);
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
    await endWatches(db, [directoryId]);
  });
});

const time = new Date(0);
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
    await log.listAcross({}, { callerNarrowedTo: {} }, { offset: 0, limit: 10 });
    await log.listAcross(
      { tenant: 'acme' },
      { status: 'pending', callerNarrowedTo: {} },
      { after: { rank: 1, at: 1, sequence: 1, id: delivery.id }, limit: 10 },
    );
    await log.listAcross({ product: 'app', directoryId }, { status: 'skipped', callerNarrowedTo: {} }, { offset: 0, limit: 10 });
    await log.listAcross({ product: 'app' }, { status: 'skipped', callerNarrowedTo: {} }, { offset: 0, limit: 10 });
    await log.get(directoryId, delivery.id);
    await log.listEvents([directoryId], { offset: 0, limit: 10 });
    expect(await log.getEvent([directoryId], delivery.id)).toMatchObject({ id: delivery.id });
  });
});

it('prints the statements of the starts of mutations', async () => {
  const starts = createMutationStartStore(db, emitOperatorEvent);
  const mutations = [{ id: newId(), directoryId }];
  await expectStatements(db, 'mutation-starts', async () => {
    await starts.countFirstStart({ id: newId(), mutations, isNew: false }, [newId()]);
    await starts.endFirstStarts([newId()]);
    await starts.countTimeouts(mutations);
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

it('prints the statements of work in batches', async () => {
  const [ada, team] = [newId(), newId()];
  await apply([createUser(ada, 'ada'), createGroup(team, 'Team', [ada])]);
  const store = createDirectoryBatchStore(db, { emitOperatorEvent, quotas: defaultQuotas });
  const directories = createDirectoryStore(db, secretColumns, emitOperatorEvent);
  const change = (values: object) => db('all_directories').where({ id: directoryId }).update(values);
  await expectStatements(db, 'batches', async () => {
    await change({ inactive_users: 'delete', inactive_users_upto: '00000000-0000-0000-0000-000000000000' });
    expect(await store.findWork(directoryId)).toBe('inactive_users');
    expect([await store.emitInactive(directoryId), await store.emitInactive(directoryId)]).toEqual(['more', 'done']);
    await change({ on_directory_delete: 'events' });
    expect(await directories.remove(directoryId, { confirmed: 3 })).toBe('removing');
    expect(await store.nextRemoval(directoryId, undefined)).toEqual({ kind: 'delete', resource: 'user', ids: [ada] });
    expect(await store.endRemoval(directoryId)).toBe(false);
    await store.findUnfinished(10);
  });
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
      acceptsScimSecret: true,
      logWebhookEvents: false,
      userStateEvents: false,
      inactiveUsers: 'keep',
      onDirectoryDelete: 'silent',
      legacySignatures: false,
      scimSecret: secretText,
      webhook,
      connection: undefined,
    });
    expect(await store.getScimAccess(id)).toMatchObject({ secrets: [{ secret: secretText }] });
    expect(await store.findIds({ directoryId: id })).toEqual([id]);
    expect(await store.findIds({ directoryId: id, ...owner })).toEqual([id]);
    expect(await store.findIds(owner)).toEqual([id]);
    expect(await store.list({ product: owner.product }, { offset: 0, limit: 10 })).toMatchObject({ resources: [{ directory: { id } }] });
    expect(await store.list(owner, { offset: 0, limit: 10 })).toMatchObject({ resources: [{ directory: { id, webhook } }] });
    expect(await store.health(id)).toMatchObject({ users: 0 });
    await db('webhook_endpoints').where({ directory_id: id }).update({ status: 'misconfigured' });
    await store.update(id, { name: 'A', deactivated: true, logWebhookEvents: true, legacySignatures: true, quotas: { users: 1 }, webhook });
    await store.update(id, { webhook: null, quotas: null });
    await store.remove(id);
  });
});

it('prints the statements of directories that hide inactive users', async () => {
  const [ada, ben, team] = [newId(), newId(), newId()];
  const deactivated = { kind: 'replaceUser', resourceId: ben, resource: { userName: 'ben', active: false } } as const;
  await apply([createUser(ada, 'ada'), createUser(ben, 'ben'), createGroup(team, 'Team', [ada, ben]), deactivated]);
  const store = createDirectoryStore(db, secretColumns, emitOperatorEvent);
  await expectStatements(db, 'inactive-users', async () => {
    await store.update(directoryId, { inactiveUsers: 'delete', confirmedEvents: 2 });
    await apply([{ kind: 'replaceGroup', resourceId: team, resource: { displayName: 'Team' }, members: [] }]);
    const snapshot = (await openSnapshot(db, { directoryId, maxConcurrent: 1, signal: new AbortController().signal })) as OpenSnapshot;
    for await (const users of snapshot.users()) expect(users).toHaveLength(1);
    for await (const lines of snapshot.memberships()) expect(lines).toBeUndefined();
    await snapshot.close();
    const range = { directoryId, after: '', until: undefined, withHashes: false, limit: 10 };
    const drift = createDriftStore(unlimitedReads(db));
    expect(await drift.readRange({ ...range, type: 'users', groupKey: undefined }, new AbortController().signal)).toHaveLength(1);
    expect(await drift.readRange({ ...range, type: 'members', groupKey: team }, new AbortController().signal)).toEqual([]);
  });
});

it('prints the statements that read the health of all directories', async () => {
  const settings = { staleAfterMs: 86_400_000, metricsByDirectory: true };
  const heard = createEmitOperatorEvent({ isHeard: true });
  const store = createDirectoryStore(db, secretColumns, heard, settings);
  const measures = createHealthSource(db, settings);
  await expectStatements(db, 'health', async () => {
    await store.list({}, { offset: 0, limit: 10 }, { among: unhealthyStatuses });
    await store.list({}, { offset: 0, limit: 10 }, { type: 'okta-scim-v2', search: 'Acme' });
    await store.overview({});
    await measures.countByHealth();
    await measures.listDirectories!();
    await createAnnounceStale(db, heard, settings.staleAfterMs)(10);
    await createAnnounceRecovered(db, createAnnounceRecovery(db, heard))(10);
  });
});

it('prints the statements of the authorization of a pulled directory', async () => {
  await db('directories').where({ id: directoryId }).update({ type: 'google' });
  const store = createDirectoryStore(db, secretColumns, emitOperatorEvent);
  const authorizations = createAuthorizationStore(db, secretColumns, emitOperatorEvent);
  const tokens = { accessToken: `access token, ${secretText}`, refreshToken: `refresh token, ${secretText}` };
  await expectStatements(db, 'authorization', async () => {
    await store.update(directoryId, { connection: { ...tokens, domain: 'acme.example', groups: ['g'], orgUnits: [] } });
    await store.update(directoryId, { connection: { adminEmail: 'a@b.example', serviceAccountKey: secretText } });
    await authorizations.saveTokens(directoryId, 2, { accessToken: tokens.accessToken, expiresAt: time });
  });
});

it('prints the statements of sync runs', async () => {
  await db('directories').where({ type: 'google' }).update({ type: 'generic-scim-v2' });
  await db('directories').where({ id: directoryId }).update({ type: 'google', google_admin_email: 'a@b.example' });
  const runs = createSyncRunStore(db);
  const syncs = createSyncStore(db, secretColumns, emitOperatorEvent);
  await expectStatements(db, 'sync-runs', async () => {
    await runs.requestAll('google');
    await runs.requestScheduled(directoryId);
    await syncs.begin({ directoryId, workflowRun: newId() });
    const runId = (await syncs.begin({ directoryId, workflowRun: newId() }))!;
    expect(await syncs.enter(directoryId, runId)).toMatchObject({ stagedBytes: 0 });
    await syncs.clear(directoryId, 10);
  });
});

it('compares every other file of this folder', () => {
  expect(findUnusedFiles('others')).toEqual([]);
});
