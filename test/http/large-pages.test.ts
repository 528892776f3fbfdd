import { describe, expect, it } from '@jest/globals';
import { createScimLists } from '../../src/http/scim/scim-lists.ts';
import { createScimReader, type ScimReader } from '../../src/http/scim/scim-reader.ts';
import type { GroupStore, UserStore } from '../../src/directory/ports.ts';
import type { Cursors } from '../../src/scim/cursor.ts';
import { userType } from '../../src/scim/schema/resource-types.ts';
import { newId } from '../../src/ids.ts';
import { storedUser } from '../support/decide.ts';
import { readListRequest } from '../../src/scim/list.ts';

/** Half a million values, which take longer than the time between pauses. */
const wide = storedUser({ x: 'y', ...Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`name${index}`, index])) });
const resources = Array.from({ length: 250 }, () => ({ ...wide, id: newId() }));
const users = { list: () => Promise.resolve({ resources, total: resources.length }) } as unknown as UserStore;
const reader = createScimReader({ users, groups: {} as GroupStore, baseUrl: () => 'http://127.0.0.1' });
const request = { ...readListRequest({ count: '250', excludedAttributes: 'title' }, userType), type: userType };
const page = { offset: 0, limit: 250 };

const readPage = (signal: AbortSignal) => reader.list('User', newId(), { page }, { projection: request.projection, signal: () => signal });

/** Disconnects are noticed in a pause. */
describe('a page of large resources', () => {
  it('pauses while its resources are presented', async () => {
    expect((await readPage(new AbortController().signal)).resources).toHaveLength(250);
    await expect(readPage(AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });

  it('pauses while attributes are selected', async () => {
    const presented = Promise.resolve({ resources: resources.map(({ resource }) => resource), total: 250 });
    const presenter = { list: () => presented } as unknown as ScimReader;
    const lists = createScimLists({ reader: presenter, cursors: {} as Cursors });
    const list = (signal: AbortSignal) => lists.list({ directoryId: newId(), signal: () => signal }, [request]);
    expect(await list(new AbortController().signal)).toMatchObject({ totalResults: 250 });
    await expect(list(AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });
});
