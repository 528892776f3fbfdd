import { afterAll, beforeAll, expect } from '@jest/globals';
import { startTestService, type ServiceResponse, type TestDirectory, type TestService } from './service.ts';

export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const coreUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** The request, its body if it has one, the status with `scimType`, and the message. */
export type ScimMessageRow = [request: string, body: unknown, error: string, message: string];

/** A directory with one user and one group. A request names them as `{user}` and `{group}`. */
export function useScimErrors() {
  const ids: Record<string, string> = { unknown: '01a1fd46-beef-7978-b244-a1855f394770' };
  const found = { fill, send } as { service: TestService; fill: typeof fill; send: typeof send };
  let directory: TestDirectory;
  beforeAll(async () => {
    found.service = await startTestService({ MAX_BODY_BYTES: '400000', MAX_BODY_VALUES: '3000' }, { deliver: false });
    directory = await found.service.createDirectory();
    const user = { userName: 'ada', externalId: 'a', name: { givenName: 'Ada' }, emails: [{ type: 'work', value: 'w@x' }], shoe: 'red' };
    ids['user'] = (await directory.scim('POST', '/Users', user)).body.id;
    ids['group'] = (await directory.scim('POST', '/Groups', { displayName: 'Team', externalId: 'g' })).body.id;
  });
  afterAll(() => found.service.stop());
  return found;

  function fill(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
  }
  function send(line: string, body?: unknown, headers?: Record<string, string>): Promise<ServiceResponse> {
    const [method, path] = fill(line).split(' ') as [string, string];
    return directory.scim(method, path, body, headers);
  }
}

export const errorOf = ({ body: { status, scimType, detail } }: Pick<ServiceResponse, 'body'>) => {
  // What exceeds a limit learns which setting it has, or that there is none.
  if (status === '413' || scimType === 'tooMany') expect(detail).toMatch(/[A-Z]+(_[A-Z]+)+|fixed limit/);
  return [[status, scimType].filter(Boolean).join(' '), detail];
};
