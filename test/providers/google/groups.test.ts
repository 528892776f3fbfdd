import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readBody, toResource } from '../../../src/scim/resource/read-resource.ts';
import { groupType } from '../../../src/scim/schema/resource-types.ts';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { never, openGoogle, readPages } from '../../support/google/open-google.ts';

let google: FakeGoogle;
beforeEach(async () => {
  google = await startFakeGoogle();
});
afterEach(async () => google.stop());

const listOne = async () => (await openGoogle(google).listGroups({ signal: never })).items[0]!;

describe('list of groups', () => {
  it('is requested in pages of 200', async () => {
    for (let count = 0; count < 201; count += 1) google.addGroup();
    const pages = await readPages(openGoogle(google).listGroups);
    expect(pages.map(({ listed }) => listed)).toEqual([200, 1]);
    expect(Object.fromEntries(google.requests[0]!.query)).toEqual({ customer: 'my_customer', maxResults: '200' });
    expect(google.requests[1]!.query.get('pageToken')).toBe(pages[0]!.nextPageToken);
  });

  it('is empty if Google omits it', async () => {
    expect(await openGoogle(google).listGroups({ signal: never })).toEqual({ items: [], listed: 0 });
  });

  it.each([
    [['SALES@example.com'], ['Sales']],
    [
      ['g-Two', ' sales@example.com '],
      ['Sales', 'Two'],
    ],
    [['sales'], []],
    [[], ['Sales', 'Three', 'Two']],
  ])('filtered by %j has these, and counts all', async (groups, names) => {
    google.addGroup({ email: 'Sales@example.com', name: 'Sales' });
    google.addGroup({ id: 'G-two', name: 'Two' });
    google.addGroup({ name: 'Three' });
    const { items, listed } = await openGoogle(google, { connection: { groups } }).listGroups({ signal: never });
    expect(items.map(({ resource }) => String(resource['displayName'])).sort()).toEqual(names);
    expect(listed).toBe(3);
  });
});

describe('group', () => {
  it("is Google's record with SCIM names, without fields that change with its members", async () => {
    const { id } = google.addGroup({ email: 'sales@example.com', name: 'Sa\0les', aliases: ['s@example.com'] });
    google.addMember(id, { id: '100' });
    const { externalId, resource, raw } = await listOne();
    expect(externalId).toBe(id);
    const { id: _id, ...returned } = google.groups.get(id)!;
    expect(raw).toEqual({ ...returned, name: 'Sales', directMembersCount: '1', externalId: id });
    expect(resource).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Sales',
      externalId: id,
      email: 'sales@example.com',
      name: 'Sales',
      description: '',
      adminCreated: true,
      aliases: ['s@example.com'],
    });
    expect(toResource(readBody(resource, groupType), groupType)).toEqual(resource);
  });

  it.each([[''], [' '], [undefined]])('without a name (%j) has its address as the display name', async (name) => {
    google.addGroup({ email: 'sales@example.com', name });
    expect((await listOne()).resource['displayName']).toBe('sales@example.com');
  });
});
