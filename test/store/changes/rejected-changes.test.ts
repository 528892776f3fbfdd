import { expect, it } from '@jest/globals';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createUserStore } from '../../../src/store/users/user-store.ts';
import { idOf, setUpGroupChanges, versions } from '../../support/group-changes.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { statusOf } from '../../support/status-of.ts';

const { directory, add, apply, drop, mutate, newGroup, newUser, rename, emitted } = setUpGroupChanges();

it('frees a name for the next mutation of the same transaction', async () => {
  const [ada, ben] = [newUser('ada'), newUser('ben')];
  await apply(ada, ben);
  expect(versions(await apply(rename(idOf(ada), 'eve'), rename(idOf(ben), 'ada'), rename(idOf(ada), 'ben')))).toEqual([2, 2, 3]);
  expect(versions(await apply(rename(idOf(ada), 'ada'), drop('deleteUser', idOf(ben)), rename(idOf(ada), 'ada'), newUser('ben')))).toEqual(
    [409, 404, 4, 1].map((value) => (value === 404 ? undefined : value)),
  );
});

it('rejects a name that is in use, an outdated version, and a missing resource', async () => {
  const [ada, ben] = [newUser('ada', { externalId: '1' }), newUser('ben', { externalId: '2' })];
  const [staff, crew] = [newGroup('staff', [], { externalId: '1' }), newGroup('crew')];
  await apply(ada, ben, staff, crew);
  const before = await emitted();
  const patch = (path: string, value: string, ifMatch?: number[]) =>
    mutate({
      kind: 'patchUser',
      resourceId: idOf(ben),
      operations: [{ op: 'replace', target: { path: { attribute: path } }, value }],
      ...(ifMatch && { ifMatch }),
    });
  const outcomes = await apply(
    patch('userName', 'ADA'),
    patch('externalId', '1'),
    patch('title', 'x', [7]),
    newGroup('STAFF'),
    newGroup('other', [], { externalId: '1' }),
    mutate({ kind: 'replaceGroup', resourceId: idOf(crew), resource: { displayName: 'staff' } }),
    drop('deleteGroup', newId()),
    add(newId(), idOf(ada)),
  );
  expect(versions(outcomes)).toEqual([409, 409, 412, 409, 409, 409, 404, 404]);
  expect(await emitted()).toEqual(before);
  expect(await createUserStore(unlimitedReads(directory.db)).get(directory.id, idOf(ben))).toMatchObject({ version: 1 });
});

it('applies a Bulk request as a whole, stops at `failOnErrors`, and rejects references to resources that were not created', async () => {
  const [ada, twin] = [newUser('ada'), newUser('ADA')] as Change[];
  const staff = newGroup('staff', [twin!.resourceId]) as Change;
  const bulk = (failOnErrors?: number) =>
    mutate({
      kind: 'bulk',
      operations: [
        { index: 1, dependsOn: [], change: ada! },
        { index: 0, dependsOn: [], change: twin! },
        { index: 2, dependsOn: [0], change: staff },
        { index: 3, isInvalid: true },
        { index: 4, dependsOn: [], change: newUser('eve') as Change },
      ],
      ...(failOnErrors !== undefined && { failOnErrors }),
    } as unknown as Change);
  const [first] = await apply(bulk(3));
  expect(first!.results!.map((result) => [result.index, statusOf(result)])).toEqual([
    [1, undefined],
    [0, 409],
    [2, 400],
  ]);
  expect(first!.attempted).toBe(4);
  expect(await emitted()).toEqual(['user.created ada']);
});
