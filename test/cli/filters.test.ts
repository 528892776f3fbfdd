import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
let directory: TestDirectory;
const ids: Record<string, string> = {};
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  const create = async (name: string, path: string, body: object) => {
    ids[name] = (await directory.scim('POST', path, body)).body.id as string;
  };
  await create('ada', '/Users', { userName: 'ada', externalId: 'E1', emails: [{ value: 'ada@acme.example' }] });
  await create('ben', '/Users', { userName: 'ben', active: false });
  await create('team', '/Groups', { displayName: 'Team', externalId: 'G1', members: [{ value: ids['ada'] }] });
  await create('crew', '/Groups', { displayName: 'Crew' });
});
afterAll(() => service.stop());

async function list(what: string, ...filter: string[]): Promise<(string | undefined)[]> {
  const { code, stdout } = await callRollcall([what, 'list', '--directory', directory.id, '--json', ...filter], at(service));
  expect(code).toBe(0);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => names.get(id));
}

it('lists only users and groups that match', async () => {
  expect(await list('users')).toEqual(['ben', 'ada']);
  expect(await list('users', '--email', 'ADA@acme.example')).toEqual(['ada']);
  expect(await list('users', '--user-name', 'ben')).toEqual(['ben']);
  expect(await list('users', '--idp-id', 'E1')).toEqual(['ada']);
  expect(await list('users', '--group', ids['team']!)).toEqual(['ada']);
  expect(await list('users', '--state', 'inactive')).toEqual(['ben']);
  expect(await list('users', '--updated-after', '2h')).toEqual(['ben', 'ada']);
  expect(await list('users', '--updated-after', '2100-01-01T00:00:00Z')).toEqual([]);
  expect(await list('groups', '--user', ids['ada']!)).toEqual(['team']);
  expect(await list('groups', '--idp-id', 'G1')).toEqual(['team']);
});

it('rejects a state that does not exist', async () => {
  const { code } = await callRollcall(['users', 'list', '--directory', directory.id, '--state', 'asleep'], at(service));
  expect(code).toBe(2);
});
