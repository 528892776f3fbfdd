import { expect } from '@jest/globals';
import { root } from './operate.ts';
import type { TestDirectory, TestService } from './service.ts';
import { until } from './until.ts';

/** What only the person has: in names, addresses, custom attributes, errors and display names. No ID contains it. */
export const markers = /quillwort|zxqv-4711/i;

/** Too large to be stored in each event. */
const longText = 'quillwort '.repeat(400);

export const person = (more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada.quillwort@acme.example',
  externalId: 'zxqv-4711',
  name: { givenName: 'Ada', familyName: 'Quillwort' },
  emails: [{ value: 'ada.quillwort@acme.example', primary: true }],
  active: true,
  ...more,
});

/** Pushes a person in every way in which a provider may name it. Returns its ID. */
export async function pushPerson(directory: TestDirectory): Promise<string> {
  const push = async (method: string, path: string, body?: unknown) => {
    const response = await directory.scim(method, path, body);
    return { status: response.status, body: response.body };
  };
  const { body: user } = await push('POST', '/Users', person());
  const id = user.id as string;
  const { body: group } = await push('POST', '/Groups', { displayName: 'Engineering', members: [{ value: id, display: 'Ada Quillwort' }] });
  // Groups that wait for somebody by the ID and the name of the person, which has them later.
  await push('PUT', `/Users/${id}`, person({ externalId: 'former' }));
  await push('POST', '/Groups', { displayName: 'Waiting', members: [{ value: 'zxqv-4711', display: 'Ada Quillwort' }] });
  await push('PUT', `/Users/${id}`, person({ title: longText, 'urn:custom': { nickname: 'Quillwort' } }));
  await push('PATCH', `/Groups/${group.id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'add', path: 'members', value: [{ value: 'ghost.quillwort', display: 'Not yet' }] }],
  });
  await push('PATCH', `/Groups/${group.id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'remove', path: 'members[value eq "ghost.quillwort"]' }],
  });
  await push('GET', '/Users?filter=userName%20eq%20%22ada.quillwort@acme.example%22');
  await push('GET', '/Users?filter=quillwort%20is%20no%20filter');
  expect((await push('POST', '/Users', person())).status).toBe(409);
  await push('PATCH', `/Users/${id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'name.familyName', value: 'Quillwort-Byron' }],
  });
  return id;
}

export function ofPerson({ api }: Pick<TestService, 'api'>, directory: Pick<TestDirectory, 'id'>, id: string) {
  const path = `${root}/${directory.id}/users/${id}`;
  return {
    erase: () => api('POST', `${path}/erase`),
    untilErased: () =>
      until(
        async () => {
          const { body } = await api('GET', `${path}/erase`);
          return body.data?.status === 'done' && body.data;
        },
        { timeoutMs: 60_000 },
      ),
    /** All pages. */
    // oxlint-disable-next-line typescript/no-explicit-any
    async export(): Promise<any[]> {
      const items = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { status, body } = await api('GET', `${path}/export?cursor=${encodeURIComponent(cursor)}`);
        expect([status, body.error]).toEqual([200, null]);
        items.push(...body.data);
        cursor = body.next_cursor;
      }
      return items;
    },
  };
}
