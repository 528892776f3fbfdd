import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { createApplyTogether } from '../../../src/directory/changes/apply-to-directory.ts';
import type { FeedRequest } from '../../../src/directory/feed/ports.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/logger.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { createKnownStates } from '../../../src/store/changes/known-states.ts';
import { createChangeStore, type ChangeStoreOptions } from '../../../src/store/changes/change-store.ts';
import { createReadEmittedEvents } from '../../../src/store/changes/emitted-events.ts';
import { createEventFeedStore } from '../../../src/store/event-feed/event-feed-store.ts';
import { resourceTypeOf } from '../../../src/store/filters/attribute-source.ts';
import { createGroupStore } from '../../../src/store/groups/group-store.ts';
import { createUserStore } from '../../../src/store/users/user-store.ts';
import { countGroups, readGroups, weighGroups } from '../../../src/store/users/groups-of-users.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { expectStatements, findUnusedFiles } from './record-statements.ts';
import { applyChanges, createGroup, createUser, useDirectory } from './directory.ts';

/** The statements that change, list and read users, groups and events. See statements.test.ts. */

let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));

const [ada, ben, team, division] = [newId(), newId(), newId(), newId()];
const ids = { ada, ben, team, division };
/** More than a run of events must have. */
const crowd = Array.from({ length: 17 }, newId);
const apply = (changes: Change[], options?: ChangeStoreOptions) => applyChanges({ db, directoryId }, changes, options);

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

it('prints the statements of the groups of users, and of lists across directories', async () => {
  for (const change of before) await apply([change]);
  const users = [{ id: ids.ada }];
  await expectStatements(db, 'groups-of-users', async () => {
    await countGroups(db, directoryId, users);
    await weighGroups(db, directoryId, users);
    await readGroups(db, directoryId, users);
  });
  await expectStatements(db, 'list-rows-across', async () => {
    await createUserStore(unlimitedReads(db)).listAcross([directoryId], { page: { offset: 0, limit: 10 } });
    await createGroupStore(unlimitedReads(db)).listAcross([directoryId], { page: { offset: 0, limit: 10 } });
  });
  await db('directories').where({ id: directoryId }).delete();
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

const requests: Record<string, Pick<FeedRequest, 'order' | 'types' | 'from' | 'until'>> = {
  ascending: { order: 'asc' },
  descending: { order: 'desc' },
  filtered: { order: 'asc', types: ['user.created'], from: new Date(0), until: new Date(0) },
};

it.each(Object.entries(requests))('prints the statements of an event feed, %s', async (name, request) => {
  const feed = createEventFeedStore(unlimitedReads(db));
  const owner = { tenant: 't', product: 'p' };
  await expectStatements(db, `event-feed-of-directory-${name}`, () => feed.readDirectory({ directoryId }, { limit: 10, ...request }));
  await expectStatements(db, `event-feed-of-owner-${name}`, () => feed.readAcross(owner, { limit: 10, ...request }));
});

it('compares every file of resources', () => {
  expect(findUnusedFiles('resources')).toEqual([]);
});
