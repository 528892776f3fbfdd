import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rolesPath, setRoles } from '../support/roles.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  await setRoles(service, directory.id, { groups: [{ group_name: 'Present', role: 'present' }] });
});
afterAll(() => service.stop());

const row = { group_name: 'Admins', role: 'admin' };
const rows = (...given: object[]) => ({ groups: given });
const id = '0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41';

it.each<[string, object, string, string]>([
  ['rows', {}, 'groups', 'groups is required.'],
  ['a row', rows(), 'groups', 'groups must not be empty.'],
  [
    'few rows',
    rows(...Array.from({ length: 501 }, (_, n) => ({ group_name: `g${n}`, role: 'r' }))),
    'groups',
    'groups may have at most 500 entries.',
  ],
  [
    'few bytes',
    rows(...Array.from({ length: 500 }, (_, n) => ({ group_name: `${n}`.padEnd(200), role: 'r' }))),
    'groups',
    'groups may have at most 65536 bytes of JSON.',
  ],
  ['a group', rows({ role: 'admin' }), 'groups.0', 'groups.0 must have either group_id or group_name.'],
  ['one group a row', rows({ ...row, group_id: id }), 'groups.0', 'groups.0 must have either group_id or group_name.'],
  ['a name', rows({ ...row, group_name: '' }), 'groups.0.group_name', 'groups.0.group_name must not be empty.'],
  [
    'a short name',
    rows({ ...row, group_name: 'x'.repeat(257) }),
    'groups.0.group_name',
    'groups.0.group_name may have at most 256 characters.',
  ],
  ['an ID', rows({ role: 'admin', group_id: 'a/b' }), 'groups.0.group_id', 'groups.0.group_id must be the ID of a group.'],
  ['a role', rows({ ...row, role: '  ' }), 'groups.0.role', 'groups.0.role must not be empty.'],
  ['a short role', rows({ ...row, role: 'x'.repeat(65) }), 'groups.0.role', 'groups.0.role may have at most 64 characters.'],
  ['clean text', rows({ ...row, role: 'a\0' }), 'groups.0.role', 'groups.0.role must not contain NUL characters or lone surrogates.'],
  [
    'each name once',
    rows(row, { group_name: 'ADMINS', role: 'b' }),
    'groups.1.group_name',
    'groups.1.group_name is the group of another row.',
  ],
  [
    'each ID once',
    rows({ group_id: id, role: 'a' }, { group_id: id.toUpperCase(), role: 'b' }),
    'groups.1.group_id',
    'groups.1.group_id is the group of another row.',
  ],
  [
    'each priority once',
    rows({ ...row, priority: 3 }, { group_name: 'B', role: 'b', priority: 3 }),
    'groups.1.priority',
    'groups.1.priority is used twice: 3.',
  ],
  [
    'all priorities or none',
    rows({ ...row, priority: 3 }, { group_name: 'B', role: 'b' }),
    'groups.1.priority',
    'groups.1.priority must be given in all rows, or in none.',
  ],
  ['a row that is an object', rows('Admins' as never), 'groups.0', 'groups.0 must be an object.'],
  ['known fields', { ...rows(row), zone: 1 }, 'zone', 'zone is not a known field.'],
  ['known fields in a row', rows({ ...row, scope: 1 }), 'groups.0.scope', 'groups.0.scope is not a known field.'],
  ['a positive priority', rows({ ...row, priority: 0 }), 'groups.0.priority', 'groups.0.priority must be at least 1.'],
  ['a known choice', { ...rows(row), pushed_roles: 'some' }, 'pushed_roles', 'pushed_roles must be one of ignore, include.'],
  ['a default role with text', { ...rows(row), default_role: '' }, 'default_role', 'default_role must not be empty.'],
])('a role table must have %s', async (_what, body, field, message) => {
  const before = (await service.api('GET', rolesPath(directory.id))).body.data;
  for (const [method, path] of [
    ['PUT', rolesPath(directory.id)],
    ...(field === 'groups' && !('groups' in body) ? [] : [['POST', `${rolesPath(directory.id)}/preview`]]),
  ] as const) {
    const answered = await service.api(method, path, body);
    expect([answered.status, answered.body.error]).toEqual([400, { code: 'invalid_request', message, field, status: 400 }]);
  }
  expect((await service.api('GET', rolesPath(directory.id))).body.data).toEqual(before);
});

it.each([
  [{ default_role: 'guest' }, 'default_role'],
  [{ groups: null, multiple: true }, 'multiple'],
  [{ groups: null, pushed_roles: 'include' }, 'pushed_roles'],
])('a preview takes options of a table only with its rows: %j', async (body, field) => {
  const answered = await service.api('POST', `${rolesPath(directory.id)}/preview`, body);
  expect([answered.status, answered.body.error]).toMatchObject([
    400,
    { code: 'invalid_request', message: `${field} requires groups.`, field },
  ]);
});

it('is not found in a directory that does not exist', async () => {
  for (const unknown of [id, 'nowhere'])
    for (const [method, path, body] of [
      ['GET', rolesPath(unknown)],
      ['PUT', rolesPath(unknown), rows(row)],
      ['DELETE', rolesPath(unknown)],
      ['POST', `${rolesPath(unknown)}/preview`, rows(row)],
      ['POST', `${rolesPath(unknown)}/preview`, { groups: null }],
    ] as const)
      expect((await service.api(method, path, body)).status).toBe(404);
});
