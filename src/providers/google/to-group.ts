import type { HostedGroup } from '../../directory/sync/provider.ts';
import { groupSchema } from '../../scim/schema/group.ts';
import type { GroupRecord } from './answers.ts';

export function toGroup({ id, kind: _kind, etag: _etag, directMembersCount: _directMembersCount, ...lasting }: GroupRecord): HostedGroup {
  const { name, email } = lasting;
  return {
    externalId: id,
    resource: { ...lasting, schemas: [groupSchema.id], displayName: name?.trim() ? name : email, externalId: id },
  };
}
