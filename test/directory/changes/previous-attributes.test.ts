import { describe, expect, it } from '@jest/globals';
import { readChange } from '../../../src/directory/changes/read-change.ts';
import { newId } from '../../../src/ids.ts';
import { createBudget } from '../../../src/scim/budget.ts';
import { newUser } from '../../../src/scim/user.ts';
import type { JsonObject } from '../../../src/scim/json.ts';
import { findPreviousAttributes } from '../../../src/directory/changes/previous-attributes.ts';
import { toUserProfile } from '../../../src/directory/resources/user.ts';
import { decide, mutationOf, storedGroup, storedUser } from '../../support/decide.ts';

const id = newId();
const profileOf = (resource: JsonObject) => toUserProfile({ id, ...newUser({ userName: 'ada', ...resource }) });
const compare = (former: JsonObject, next: JsonObject) => findPreviousAttributes(profileOf(former), profileOf(next), createBudget());

/** The facts of the events of one request on a stored user. */
async function afterRequest(method: 'PUT' | 'PATCH', body: JsonObject, stored: JsonObject) {
  const user = storedUser(stored);
  const change = readChange({ method, resourceType: 'User', resourceId: user.id, ifMatch: undefined, body, budget: createBudget() });
  const { writes } = await decide([mutationOf(change)], { users: [user] });
  return writes.events.map((event) => ['data' in event && event.data['previous_attributes'], event.type, event.reason]);
}

describe('previous attributes', () => {
  it('have the former value of what changed or was removed, and null for what was added', () => {
    const former = { title: 'Engineer', nickName: 'Ada', name: { givenName: 'Ada', familyName: 'Byron' } };
    const next = { title: 'Director', locale: 'en', name: { givenName: 'Ada', familyName: 'Lovelace', middleName: 'King' } };
    expect(compare(former, next)).toEqual({
      last_name: 'Byron',
      raw: { title: 'Engineer', nickName: 'Ada', locale: null, name: { familyName: 'Byron', middleName: null } },
    });
    expect(compare(next, next)).toEqual({});
  });

  it('have the whole former list, but nothing if only its order changed', () => {
    const [work, home] = [
      { value: 'ada@work.example', type: 'work', primary: true },
      { value: 'ada@home.example', type: 'home' },
    ];
    const reordered = { type: 'work', primary: true, value: 'ada@work.example' };
    expect(compare({ emails: [work, home] }, { emails: [home, reordered] })).toEqual({});
    expect(compare({ emails: [work, work] }, { emails: [work, home] })).toEqual({ raw: { emails: [work, work] } });
    expect(compare({ emails: [work, home] }, { emails: [{ ...home, primary: true }] })).toEqual({
      email: 'ada@work.example',
      raw: { emails: [work, home] },
    });
  });

  it('have roles as the event shows them', () => {
    expect(compare({}, { roles: [{ value: 'admin' }] })).toEqual({ roles: null, raw: { roles: null } });
    expect(compare({ roles: [{ value: 'admin' }] }, {})).toEqual({ roles: [{ value: 'admin' }], raw: { roles: [{ value: 'admin' }] } });
  });

  it('do not mistake names of JavaScript for attributes', () => {
    const former = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "900": 0}') as JsonObject;
    const previous = compare(former, {})['raw'] as JsonObject;
    expect(JSON.stringify(previous)).toBe(JSON.stringify({ 900: 0, ['__proto__']: { a: 1 }, constructor: 1 }));
  });

  it('count against the budget', () => {
    const emails = Array.from({ length: 2_000 }, (_, index) => ({ value: `${index}@acme.example` }));
    const run = () =>
      findPreviousAttributes(
        profileOf({ emails }),
        profileOf({ emails: emails.toReversed() }),
        createBudget({ maxSteps: 10_000, maxBytes: Infinity }),
      );
    expect(run).toThrow(/too expensive/);
  });
});

describe('the event of a request', () => {
  it('says nothing of the meta and groups that Okta sends back in a PUT', async () => {
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
    const stored = { schemas, userName: 'ada@acme.example', name: { givenName: 'Ada' }, active: true };
    const echo = {
      ...stored,
      id: 'ours',
      groups: [{ value: newId(), display: 'Engineers' }],
      meta: { resourceType: 'User', version: 'W/"7"', lastModified: '2026-01-01T00:00:00Z' },
    };
    expect(await afterRequest('PUT', { ...echo, title: 'Engineer' }, stored)).toEqual([[{ raw: { title: null } }, 'user.updated', 'scim']]);
    expect(await afterRequest('PUT', echo, stored)).toEqual([]);
  });

  it('shows a deactivation without comparing', async () => {
    const patch = { Operations: [{ op: 'replace', path: 'active', value: false }] };
    const [[previous]] = (await afterRequest('PATCH', patch, { active: true })) as [[unknown]];
    expect(previous).toEqual({ active: true, raw: { active: true } });
  });

  it('compares each operation of a Bulk with the one before', async () => {
    const user = storedUser({ title: 'a' });
    const patch = (title: string) =>
      mutationOf(
        readChange({
          method: 'PATCH',
          resourceType: 'User',
          resourceId: user.id,
          ifMatch: undefined,
          body: { Operations: [{ op: 'replace', path: 'title', value: title }] },
          budget: createBudget(),
        }),
      );
    const { writes } = await decide([patch('b'), patch('c')], { users: [user] });
    expect(writes.events).toMatchObject([
      { data: { previous_attributes: { raw: { title: 'a' } } } },
      { data: { previous_attributes: { raw: { title: 'b' } } } },
    ]);
  });

  it('is of a group too, without its members', async () => {
    const group = storedGroup({ displayName: 'Engineers' });
    const body = { Operations: [{ op: 'replace', path: 'displayName', value: 'Builders' }] };
    const change = readChange({
      method: 'PATCH',
      resourceType: 'Group',
      resourceId: group.id,
      ifMatch: undefined,
      body,
      budget: createBudget(),
    });
    const { writes } = await decide([mutationOf(change)], { groups: [group] });
    expect(writes.events).toMatchObject([
      { type: 'group.updated', data: { name: 'Builders', previous_attributes: { name: 'Engineers', raw: { displayName: 'Engineers' } } } },
    ]);
  });
});
