import type { AttributePath, ResourceType, ResourceTypeName } from '../../scim/schema/attribute.ts';
import { publicIdOf, publicIdOfMember } from '../resources/public-id.ts';
import { groupType, userType } from '../../scim/schema/resource-types.ts';

/** An SQL expression for one value of an attribute, or null. */
export interface Source {
  kind: 'text' | 'id' | 'boolean' | 'instant' | 'json';
  /** Of an ID: the key. */
  sql: string;
  /** Of an ID: what callers see. */
  publicId?: string;
  /** SQL for the same text after `foldCase`. */
  key?: string;
  /** The index that finds rows by equality: `unique` finds at most one row. */
  index?: 'unique' | 'many';
}

/** The aliases of `users` and `groups` in the SQL of a filter. */
export const rowOf = { User: 'u', Group: 'g' } as const;

const commonColumns = (row: string, name: ResourceType['name']): [string, Source][] => [
  ['id', { kind: 'id', sql: `${row}.id`, publicId: publicIdOf(row), index: 'unique' }],
  ['externalId', { kind: 'text', sql: `${row}.external_id`, index: 'unique' }],
  ['meta', { kind: 'boolean', sql: 'true' }],
  ['meta.resourceType', { kind: 'text', sql: `cast('${name}' as text)` }],
  ['meta.created', { kind: 'instant', sql: `${row}.created_at` }],
  ['meta.lastModified', { kind: 'instant', sql: `${row}.updated_at` }],
  ['meta.version', { kind: 'text', sql: `('W/"' || ${row}.version || '"')` }],
];

/** Attributes with a column, by the name of the attribute, or of attribute and sub-attribute. */
const columns: Record<ResourceType['name'], Map<string, Source>> = {
  User: new Map([
    ...commonColumns('u', 'User'),
    ['userName', { kind: 'text', sql: 'u.user_name', key: 'u.user_name_key', index: 'unique' }],
    ['displayName', { kind: 'text', sql: `(u.resource ->> 'displayName')`, key: 'u.display_name_key', index: 'many' }],
    ['active', { kind: 'boolean', sql: 'u.active' }],
  ]),
  Group: new Map([
    ...commonColumns('g', 'Group'),
    ['displayName', { kind: 'text', sql: 'g.display_name', key: 'g.display_name_key', index: 'many' }],
  ]),
};

/** Attribute values that are rows of another table, with a `position`. */
export interface Rows {
  from: string;
  join: (alias: string) => string;
  /** Columns by the names of sub-attributes. */
  columns: (alias: string) => Map<string, Source>;
}

const joinGroup = (alias: string) => `${alias}.directory_id = g.directory_id and ${alias}.group_id = g.id`;

/** Attributes whose values are in one or more other tables. */
const relations: Record<ResourceType['name'], Map<string, Rows[]>> = {
  User: new Map([
    [
      'groups',
      [
        {
          from: `(select m.directory_id, m.member_id, m.position, x.id, x.public_id, x.display_name, x.display_name_key
            from group_members m join groups x on x.directory_id = m.directory_id and x.id = m.group_id)`,
          join: (alias) => `${alias}.directory_id = u.directory_id and ${alias}.member_id = u.id`,
          columns: (alias) =>
            new Map<string, Source>([
              ['value', { kind: 'id', sql: `${alias}.id`, publicId: publicIdOf(alias) }],
              ['display', { kind: 'text', sql: `${alias}.display_name`, key: `${alias}.display_name_key` }],
              ['type', { kind: 'text', sql: `cast('direct' as text)` }],
            ]),
        },
      ],
    ],
  ]),
  Group: new Map([
    [
      'members',
      [
        {
          from: 'group_members',
          join: joinGroup,
          columns: (alias) =>
            new Map<string, Source>([
              ['value', { kind: 'id', sql: `${alias}.member_id`, publicId: publicIdOfMember(alias) }],
              ['display', { kind: 'text', sql: `${alias}.display` }],
              ['type', { kind: 'text', sql: `initcap(${alias}.kind)` }],
            ]),
        },
        {
          from: 'pending_members',
          join: joinGroup,
          columns: (alias) =>
            new Map<string, Source>([
              ['value', { kind: 'text', sql: `${alias}.value` }],
              ['display', { kind: 'text', sql: `${alias}.display` }],
            ]),
        },
      ],
    ],
  ]),
};

export interface Compiled {
  sql: string;
  /** Named bindings for `raw` and `whereRaw`. */
  bindings: Record<string, string>;
}

export const columnOf = (path: AttributePath, type: ResourceType): Source | undefined => columns[type.name].get(nameOf(path));

export const indexedColumnOf = (path: AttributePath, type: ResourceType) => columnOf(path, type)?.index;

export const relationOf = ({ extension, attribute }: AttributePath, type: ResourceType): Rows[] | undefined =>
  extension === undefined && attribute !== undefined ? relations[type.name].get(attribute) : undefined;

export function nameOf({ extension, attribute, sub }: AttributePath): string {
  const name = sub === undefined ? String(attribute) : `${attribute}.${sub}`;
  return extension === undefined ? name : `${extension}:${name}`;
}

const resourceTypes: Record<ResourceTypeName, ResourceType> = { User: userType, Group: groupType };

export const resourceTypeOf = (name: ResourceTypeName): ResourceType => resourceTypes[name];
