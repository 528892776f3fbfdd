import { foldCase } from '../../scim/text.ts';
import { groupSchema as googleGroup, type GroupRecord, userSchema as googleUser, type UserRecord } from './responses.ts';
import type { ProviderUser, ProviderGroup } from '../../directory/sync/provider.ts';
import type { JsonObject } from '../../scim/json.ts';
import { groupSchema, userSchema } from '../../scim/schema/core-schemas.ts';

/** Selects groups by address or ID. No names select all groups. */
export function createGroupFilter(names: string[]): (group: GroupRecord) => boolean {
  const selected = new Set(names.map((name) => foldCase(name.trim())));
  return ({ id, email }) => selected.size === 0 || selected.has(foldCase(id)) || selected.has(foldCase(email));
}

/** Selects users in one of the organizational units, at any depth. No units select all users. */
export function createUserFilter(orgUnits: string[]): (user: UserRecord) => boolean {
  const selected = orgUnits.map(toPrefix);
  const isEverybody = selected.length === 0 || selected.includes('/');
  return ({ orgUnitPath }) =>
    isEverybody || (orgUnitPath !== undefined && selected.some((prefix) => toPrefix(orgUnitPath).startsWith(prefix)));
}

/** `/Sales/North` becomes `/sales/north/`: the prefix of its sub-units, and of no other unit. */
const toPrefix = (path: string) => `/${foldCase(path.trim()).replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');

/** Google's `name` and `addresses` have the same form as SCIM's. */
export function toUser({ password: _password, hashFunction: _hashFunction, ...record }: UserRecord): ProviderUser {
  const { id, primaryEmail, name, suspended, archived, emails } = record;
  return {
    externalId: id,
    resource: {
      ...keepStableFields(record),
      schemas: [userSchema.id],
      userName: primaryEmail,
      externalId: id,
      active: !(suspended || archived),
      ...(name.fullName && { displayName: name.fullName }),
      ...(emails && { emails: emails.map(toEmail) }),
    },
    raw: toRaw(record),
  };
}

/** The service's own ID stands in the place of Google's. */
const toRaw = ({ id, ...record }: UserRecord | GroupRecord): JsonObject => ({ ...record, externalId: id });

/** Drops the ID, which is stored separately, and fields that change on every read. */
function keepStableFields({
  id: _id,
  kind: _kind,
  etag: _etag,
  lastLoginTime: _lastLoginTime,
  thumbnailPhotoUrl: _thumbnailPhotoUrl,
  thumbnailPhotoEtag: _thumbnailPhotoEtag,
  ...lasting
}: UserRecord): JsonObject {
  return lasting;
}

/** Adds SCIM's name for the address. */
const toEmail = (email: { address?: string | undefined }) => ({ ...email, ...(email.address !== undefined && { value: email.address }) });

export function toGroup(record: GroupRecord): ProviderGroup {
  const { id, kind: _kind, etag: _etag, directMembersCount: _directMembersCount, ...lasting } = record;
  const { name, email } = lasting;
  return {
    externalId: id,
    resource: { ...lasting, schemas: [groupSchema.id], displayName: name?.trim() ? name : email, externalId: id },
    raw: toRaw(record),
  };
}

/** What Polis stored of Google, as a sync stores it: the next sync then finds no difference. */
export const googleRecords = {
  toUser(raw: JsonObject): JsonObject | undefined {
    const read = googleUser.safeParse(raw);
    return read.success ? toUser(read.data).resource : undefined;
  },
  toGroup(raw: JsonObject): JsonObject | undefined {
    const read = googleGroup.safeParse(raw);
    return read.success ? toGroup(read.data).resource : undefined;
  },
};
