import type { Group } from '../../directory/resources/group.ts';
import type { JsonObject } from '../../scim/json.ts';
import { foldCase } from '../../scim/text.ts';
import { type PushedColumn, toPushed, toPushedColumn } from '../resources/pushed-column.ts';

export interface GroupRow {
  directory_id: string;
  id: string;
  public_id: string | null;
  display_name: string;
  display_name_key: string;
  external_id: string | null;
  namesake: string;
  resource: JsonObject;
  pushed: PushedColumn | null;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export const toGroup = (row: GroupRow): Group => ({
  id: row.id,
  publicId: row.public_id ?? undefined,
  displayName: row.display_name,
  externalId: row.external_id ?? undefined,
  allowDuplicateName: row.namesake !== '',
  resource: row.resource,
  pushed: toPushed(row),
  version: row.version,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
});

export const toGroupColumns = (group: Group) => ({
  id: group.id,
  public_id: group.publicId,
  display_name: group.displayName,
  display_name_key: foldCase(group.displayName),
  external_id: group.externalId ?? null,
  namesake: group.allowDuplicateName ? (group.externalId ?? group.id) : '',
  resource: group.resource,
  pushed: toPushedColumn(group),
  version: group.version,
  created_at: group.createdAt,
  updated_at: group.updatedAt,
});
