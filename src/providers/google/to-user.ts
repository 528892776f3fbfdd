import type { HostedUser } from '../../directory/sync/provider.ts';
import type { JsonObject } from '../../scim/json.ts';
import { userSchema } from '../../scim/schema/user.ts';
import type { UserRecord } from './answers.ts';

/** Names of Google's that are SCIM's too, as `name` and `addresses`, have the same form in both. */
export function toUser(record: UserRecord): HostedUser {
  const { id, primaryEmail, name, suspended, archived, emails } = record;
  return {
    externalId: id,
    resource: {
      ...keepLasting(record),
      schemas: [userSchema.id],
      userName: primaryEmail,
      externalId: id,
      active: !(suspended || archived),
      ...(name.fullName && { displayName: name.fullName }),
      ...(emails && { emails: emails.map(toEmail) }),
    },
  };
}

/** Without the id, which has its place; what is new on every read; and what is a secret. */
function keepLasting({
  id: _id,
  kind: _kind,
  etag: _etag,
  lastLoginTime: _lastLoginTime,
  thumbnailPhotoUrl: _thumbnailPhotoUrl,
  thumbnailPhotoEtag: _thumbnailPhotoEtag,
  password: _password,
  hashFunction: _hashFunction,
  ...lasting
}: UserRecord): JsonObject {
  return lasting;
}

/** Under SCIM's name too. */
const toEmail = (email: { address?: string | undefined }) => ({ ...email, ...(email.address !== undefined && { value: email.address }) });
