import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { giveRole, showRoles, takeRole } from '../../src/directory/setup-links/setup-roles.ts';
import { en } from '../../src/http/setup/languages/en.ts';
import { toRoleTable } from '../../src/directory/roles/role-table.ts';
import { readAuditLog } from '../support/audit.ts';
import { rolesPath } from '../support/roles.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { createLink, createPlainBrowser, type TestLink } from '../support/setup-links.ts';

/** The page on which a customer's administrator gives roles to groups. */

const hostile = `<img src=x onerror="alert(1)">'"&`;

let service: TestService;
let browser: ReturnType<typeof createPlainBrowser>;
beforeAll(async () => {
  service = await shareTestService();
  browser = createPlainBrowser(service);
});
afterAll(() => service.stop());

/** A link with its directory. */
async function createOffer(fields: object = { roles: ['admin', 'member'] }): Promise<{ link: TestLink; id: string; page: string }> {
  const link = await createLink(service, fields);
  const { id } = await service.createDirectory({ tenant: link.tenant, product: link.product, type: 'okta-scim-v2' });
  return { link, id, page: `/setup/${link.token}/directory-sync/${id}/roles` };
}

const send = async (page: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const { status } = await fetch(`${service.baseUrl}${page}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return status;
};
const give = (page: string, group: string, role: string, headers = {}) => send(page, { action: 'give', group, role }, headers);
const readRows = async (id: string): Promise<[name: string | null, role: string][]> =>
  (await service.api('GET', rolesPath(id))).body.data.groups.map((row: { group_name: string | null; role: string }) => [
    row.group_name,
    row.role,
  ]);

it('gives roles to groups, replaces and takes them', async () => {
  const { link, id, page } = await createOffer();
  const connect = await browser.open(`${link.url}/directory-sync/${id}`);
  expect(connect.text).toContain(`href="${page}"`);
  expect((await browser.open(page)).text).toContain(en.rolesNone);
  expect([await give(page, 'Staff', 'member'), await give(page, 'Admins', 'admin'), await give(page, hostile, 'member')]).toEqual([
    303, 303, 303,
  ]);
  expect(await readRows(id)).toEqual([
    ['Admins', 'admin'],
    ['Staff', 'member'],
    [hostile, 'member'],
  ]);
  const { text } = await browser.open(page);
  expect(text).toContain('&lt;img src=x onerror=');
  expect(text).not.toContain('<img src=x');
  expect(text).toContain(en.groupMissing);
  expect(await give(page, 'STAFF', 'admin')).toBe(303);
  expect(await send(page, { action: 'take', ref: 'name:admins' })).toBe(303);
  // A form that is sent twice.
  expect(await send(page, { action: 'take', ref: 'name:admins' })).toBe(303);
  expect(await readRows(id)).toEqual([
    ['STAFF', 'admin'],
    [hostile, 'member'],
  ]);
  const acts = (await readAuditLog(service, { directory_id: id })).filter(({ action }) => action === 'directory.roles_updated');
  expect(acts.map(({ actor }) => [actor.type, actor.id])).toEqual(acts.map(() => ['administrator', link.id]));
  expect(acts).toHaveLength(5);
});

it('loses no change of others that come at the same time', async () => {
  const { id, page } = await createOffer();
  expect(await Promise.all(['A', 'B', 'C'].map((group) => give(page, group, 'member')))).toEqual([303, 303, 303]);
  expect(new Set((await readRows(id)).map(([name]) => name))).toEqual(new Set(['A', 'B', 'C']));
});

it('limits how often a link changes the roles of a directory, and not of another one', async () => {
  const [one, other] = [await createOffer(), await createOffer()];
  const changed: number[] = [];
  while (changed.length < 100 && changed.at(-1) !== 429)
    changed.push(await give(one.page, 'Staff', changed.length % 2 === 0 ? 'admin' : 'member'));
  expect(changed.length).toBeGreaterThan(20);
  expect(changed.at(-1)).toBe(429);
  expect(await give(other.page, 'Staff', 'admin')).toBe(303);
  expect(changed.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 303));
});

it('gives no role that the link does not offer, and changes no row that the application has made', async () => {
  const { id, page } = await createOffer();
  await service.api('PUT', rolesPath(id), { groups: [{ group_name: 'Owners', role: 'owner' }], default_role: 'guest' });
  expect(await give(page, 'Staff', 'owner')).toBe(400);
  expect(await give(page, '', 'member')).toBe(400);
  expect(await give(page, 'x'.repeat(257), 'member')).toBe(400);
  expect(await give(page, 'Sta\0ff', 'member')).toBe(400);
  expect(await give(page, 'owners', 'member')).toBe(403);
  expect(await send(page, { action: 'take', ref: 'name:owners' })).toBe(403);
  expect(await send(page, { action: 'delete' })).toBe(400);
  expect(await readRows(id)).toEqual([['Owners', 'owner']]);
  expect(await give(page, 'Staff', 'member')).toBe(303);
  const { text } = await browser.open(page);
  expect(text).toContain(en.roleOfApplication);
  expect(text).not.toContain('value="name:owners"');
  expect((await service.api('GET', rolesPath(id))).body.data).toMatchObject({ default_role: 'guest', pushed_roles: 'ignore' });
});

it('does not exist on a link without roles, for another tenant, from another site, or without a valid link', async () => {
  const [without, offer, another] = [await createOffer({}), await createOffer(), await createOffer()];
  expect((await browser.open(`${without.link.url}/directory-sync/${without.id}`)).text).not.toContain('/roles"');
  expect([(await browser.open(without.page)).status, await give(without.page, 'A', 'member')]).toEqual([403, 403]);
  const foreign = `/setup/${offer.link.token}/directory-sync/${another.id}/roles`;
  expect([(await browser.open(foreign)).status, await give(foreign, 'A', 'member')]).toEqual([400, 400]);
  expect(await give(offer.page, 'A', 'member', { 'sec-fetch-site': 'cross-site' })).toBe(403);
  const unknown = offer.page.replace(offer.link.token, '0'.repeat(48));
  expect([(await browser.open(unknown)).status, await give(unknown, 'A', 'member')]).toEqual([404, 404]);
  for (const { id } of [without, offer, another]) expect(await readRows(id)).toEqual([]);
});

it('takes a role from a group whose name is longer in lower case', async () => {
  const { id, page } = await createOffer();
  const group = 'İ'.repeat(256);
  expect([await give(page, 'Staff', 'member'), await give(page, group, 'admin')]).toEqual([303, 303]);
  const [, ref] = /name="ref" value="(name:i[^"]*)"/.exec((await browser.open(page)).text)!;
  expect(await send(page, { action: 'take', ref: ref! })).toBe(303);
  expect(await readRows(id)).toEqual([['Staff', 'member']]);
});

const present = (...rows: [name: string, role: string][]) => ({
  table: toRoleTable({ groups: rows.map(([groupName, role]) => ({ groupName, role })) }),
  groups: new Map<number, { id: string; name: string }>(),
});
const rowsOf = ({ groups }: { groups: { groupName?: string | undefined; role: string; priority: number }[] }) =>
  groups.map(({ groupName, role, priority }) => `${priority} ${groupName} ${role}`);

describe('the order of rows', () => {
  const offered = ['admin', 'editor', 'member'];
  it('is that of the offered roles, and keeps that of the others', () => {
    const before = present(['Staff', 'member'], ['Everyone', 'guest']);
    expect(rowsOf(giveRole(before, offered, { group: ' Writers ', role: 'editor' }))).toEqual([
      '1 Writers editor',
      '2 Staff member',
      '3 Everyone guest',
    ]);
    expect(rowsOf(giveRole(before, offered, { group: 'More', role: 'member' }))).toEqual([
      '1 Staff member',
      '2 More member',
      '3 Everyone guest',
    ]);
  });

  it('replaces a row that names the group by its ID', () => {
    const table = toRoleTable({ groups: [{ groupId: '01a1fd46-bf8b-7f91-8ddf-61e247494b41', role: 'member' }] });
    const groups = new Map([[0, { id: '01a1fd46-bf8b-7f91-8ddf-61e247494b41', name: 'Writers' }]]);
    expect(rowsOf(giveRole({ table, groups }, offered, { group: 'writers', role: 'editor' }))).toEqual(['1 writers editor']);
  });

  it('is in a table of bounded size', () => {
    let { table } = present(['Staff', 'member']);
    const grow = () => {
      for (let n = 0; n < 500; n += 1)
        table = giveRole({ table, groups: new Map() }, offered, { group: `${n}`.padEnd(256, 'x'), role: 'member' });
    };
    expect(grow).toThrow('groups may have at most 65536 bytes of JSON');
    expect(table.groups.length).toBeGreaterThan(100);
  });

  it('keeps the last row', () => {
    const one = present(['Staff', 'member']);
    expect(() => takeRole(one, offered, 'name:staff')).toThrow('is the last one');
    expect(rowsOf(takeRole(present(['Staff', 'member'], ['Others', 'admin']), offered, 'name:staff'))).toEqual(['1 Others admin']);
  });

  it('shows what can be changed', () => {
    expect(showRoles(present(['Staff', 'member'], ['Owners', 'owner']), offered)).toEqual([
      { ref: 'name:staff', group: 'Staff', role: 'member', exists: false, canChange: true },
      { ref: 'name:owners', group: 'Owners', role: 'owner', exists: false, canChange: false },
    ]);
  });
});
