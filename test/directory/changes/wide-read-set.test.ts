import { expect, it } from '@jest/globals';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { collectWideReadSet } from '../../../src/directory/changes/read-set.ts';
import { newId } from '../../../src/ids.ts';
import { readPatch } from '../../../src/scim/patch/read-patch.ts';
import { userType } from '../../../src/scim/schema/resource-types.ts';
import { storedUser } from '../../support/decide.ts';

const [active, inactive] = [storedUser(), storedUser({ active: false })];
const put = (resourceId: string, resource: object): Change => ({
  kind: 'replaceUser',
  resourceId,
  resource: { userName: 'ada', ...resource },
});
const patch = (resourceId: string, ...Operations: object[]): Change => ({
  kind: 'patchUser',
  resourceId,
  ...readPatch({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }, userType),
});
const leavingOf = (...changes: Change[]) => [
  ...(collectWideReadSet(
    changes.map((change) => ({ id: newId(), directoryId: newId(), ...change })),
    [active, inactive],
  )?.leaving ?? []),
];

it.each<[string, Change, boolean]>([
  ['a PUT with the same value', put(active.id, { active: true }), false],
  ['a PUT without it', put(inactive.id, {}), false],
  ['a PUT that deactivates', put(active.id, { active: false }), true],
  ['a PUT that reactivates', put(inactive.id, { active: true }), true],
  ['a PATCH of another attribute', patch(active.id, { op: 'replace', path: 'name.givenName', value: 'Ada' }), false],
  ['a PATCH with the same value', patch(active.id, { op: 'replace', path: 'active', value: true }), false],
  ['a PATCH without a path with the same value', patch(active.id, { op: 'replace', value: { active: true, displayName: 'A' } }), false],
  ['a PATCH that deactivates', patch(active.id, { op: 'replace', path: 'active', value: false }), true],
  ['a PATCH that deactivates with text, as Entra sends it', patch(active.id, { op: 'Replace', path: 'active', value: 'False' }), true],
  ['a PATCH without a path that deactivates', patch(active.id, { op: 'replace', value: { active: false } }), true],
  ['a PATCH that removes it', patch(inactive.id, { op: 'remove', path: 'active' }), true],
  ['a user that was not read', put(newId(), { active: false }), false],
])('reads the groups of a user whose active may change: %s', (_, change, isWide) => {
  expect(leavingOf(change)).toEqual(isWide ? [change.resourceId] : []);
});

it('one of several changes is enough', () => {
  const deactivate = patch(active.id, { op: 'replace', path: 'active', value: false });
  expect(leavingOf(put(active.id, { active: true }), deactivate, put(active.id, { active: true }))).toEqual([active.id]);
});
