import type { Knex } from 'knex';
import { toResourceKey } from '../../../src/directory/resources/resource-ids.ts';
import { newId } from '../../../src/ids.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { isObject, type JsonObject } from '../../../src/scim/json.ts';
import type { ResourceTypeName } from '../../../src/scim/schema/attribute.ts';
import { foldCase } from '../../../src/scim/text.ts';
import { compileFilter } from '../../../src/store/filters/compile-filter.ts';
import { publicIdOf } from '../../../src/store/resources/public-id.ts';
import { resourceTypeOf } from '../../../src/store/filters/attribute-source.ts';

/** A pushed resource with the attributes that the service assigns. */
export interface Stored {
  id: string;
  resource: JsonObject;
  version?: number;
  created?: string;
  lastModified?: string;
}
export interface StoredGroup extends Stored {
  resource: JsonObject & { displayName: string };
  members?: { value: string; type?: 'User' | 'Group'; display?: string }[];
}

const usualTime = '2024-05-01T10:00:00.000Z';

export async function createDirectory(db: Knex): Promise<string> {
  const id = newId();
  await db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  return id;
}

const keyed = (id: string) => ({ id: toResourceKey(id), public_id: toResourceKey(id) === id ? null : id });

const assigned = ({ version = 1, created = usualTime, lastModified = usualTime }: Stored) => ({
  version,
  created_at: created,
  updated_at: lastModified,
});

export async function storeUsers(db: Knex, directoryId: string, users: Stored[]): Promise<void> {
  const rows = users.map(({ id, resource, ...rest }) => ({
    directory_id: directoryId,
    ...keyed(id),
    user_name: String(resource['userName']),
    user_name_key: foldCase(String(resource['userName'])),
    external_id: resource['externalId'] ?? null,
    display_name_key: typeof resource['displayName'] === 'string' ? foldCase(resource['displayName']) : null,
    active: resource['active'] ?? true,
    first_name: '',
    last_name: '',
    email: '',
    resource: JSON.stringify(resource),
    ...assigned({ id, resource, ...rest }),
  }));
  await db('users').insert(rows);
  const keys = users.flatMap(({ id, resource }) => {
    const values = ((resource['emails'] ?? []) as unknown[]).map((email) => (isObject(email) ? email['value'] : email));
    const texts = values.filter((value) => typeof value === 'string').map(foldCase);
    return [...new Set(texts)].map((value_key) => ({ directory_id: directoryId, user_id: toResourceKey(id), value_key }));
  });
  if (keys.length > 0) await db('user_emails').insert(keys);
}

export async function storeGroups(db: Knex, directoryId: string, groups: StoredGroup[]): Promise<void> {
  await db('groups').insert(
    groups.map(({ id, resource, ...rest }) => ({
      directory_id: directoryId,
      ...keyed(id),
      display_name: resource.displayName,
      display_name_key: foldCase(resource.displayName),
      external_id: resource['externalId'] ?? null,
      resource: JSON.stringify(resource),
      ...assigned({ id, resource, ...rest }),
    })),
  );
  for (const { id, members = [] } of groups)
    for (const { value, type, display = null } of members) {
      const row = { directory_id: directoryId, group_id: toResourceKey(id), display };
      if (type) await db('group_members').insert({ ...row, member_id: toResourceKey(value), kind: type.toLowerCase() });
      else await db('pending_members').insert({ ...row, value, value_key: foldCase(value) });
    }
}

const metaOf = (resourceType: ResourceTypeName, { version = 1, created = usualTime, lastModified = usualTime }: Stored) => ({
  resourceType,
  created: new Date(created).toISOString(),
  lastModified: new Date(lastModified).toISOString(),
  version: `W/"${version}"`,
});

export const showUser = (user: Stored, groups: StoredGroup[] = []): JsonObject => ({
  ...user.resource,
  id: user.id,
  meta: metaOf('User', user),
  groups: groups
    .filter(({ members = [] }) => members.some(({ value, type }) => type === 'User' && value === user.id))
    .map(({ id, resource }) => ({ value: id, display: resource.displayName, type: 'direct' })),
});

export const showGroup = (group: StoredGroup): JsonObject => ({
  ...group.resource,
  id: group.id,
  meta: metaOf('Group', group),
  members: group.members ?? [],
});

/** The ids that a filter finds in a directory, in the order of their keys. */
export async function idsOf(db: Knex, directoryId: string, { text, type }: { text: string; type: ResourceTypeName }): Promise<string[]> {
  const { sql, bindings } = compileFilter(parseFilter(text, resourceTypeOf(type)), type);
  const [table, row] = type === 'User' ? ['users as u', 'u'] : ['groups as g', 'g'];
  const rows = await db(table)
    .where(`${row}.directory_id`, directoryId)
    .whereRaw(sql, bindings)
    .orderBy(`${row}.id`)
    .select<{ public_id: string }[]>(db.raw(`${publicIdOf(row)} as public_id`));
  return rows.map(({ public_id: id }) => id);
}
