import type { GroupMember } from '../../directory/resources/group.ts';
import type { GroupWithMembers, UserWithGroups } from '../../directory/ports.ts';
import { publicIdOf } from '../../directory/resources/resource-ids.ts';
import { createYieldToEventLoop, forEachYielding } from '../../shared/yield-to-event-loop.ts';
import type { JsonObject } from '../../scim/json.ts';
import { toETag } from '../../scim/etag.ts';
import type { ResourceType, ResourceTypeName } from '../../scim/schema/attribute.ts';
import { type Projection, project } from '../../scim/projection.ts';

/** The base of a directory's SCIM addresses. */
export const scimBase = (baseUrl: string, directoryId: string) => `${baseUrl}/api/scim/v2.0/${directoryId}`;

/** `id` is the public ID. */
const resourceLocation = (base: string, type: ResourceTypeName, id: string) => `${base}/${type}s/${encodeURIComponent(id)}`;

/** A resource in SCIM's form: what was pushed, and what this service assigned. */
export type ScimResource = JsonObject & { id: string; meta: { location: string; version: string; [name: string]: unknown } };

export const presentUser = (base: string, { groups = [], ...user }: UserWithGroups): ScimResource => ({
  ...user.resource,
  id: publicIdOf(user),
  ...(groups.length > 0 && {
    groups: groups.map(({ id, displayName }) => ({
      value: id,
      $ref: resourceLocation(base, 'Group', id),
      display: displayName,
      type: 'direct',
    })),
  }),
  meta: presentMeta(base, 'User', user),
});

/** A group without members has an empty list, which providers expect. */
export async function presentGroup(
  base: string,
  { members, ...group }: GroupWithMembers,
  signal?: () => AbortSignal,
): Promise<ScimResource> {
  const shown: object[] = [];
  const pause = createYieldToEventLoop(() => signal?.().throwIfAborted());
  await forEachYielding(members ?? [], pause, (member) => shown.push(presentMember(base, member)));
  return {
    ...group.resource,
    id: publicIdOf(group),
    ...(members && { members: shown }),
    meta: presentMeta(base, 'Group', group),
  };
}

function presentMember(base: string, { value, id, kind, display }: GroupMember) {
  const type: ResourceTypeName = kind === 'group' ? 'Group' : 'User';
  return { value, ...(id !== undefined && { $ref: resourceLocation(base, type, id), type }), ...(display !== undefined && { display }) };
}

const presentMeta = (base: string, type: ResourceTypeName, resource: UserWithGroups | GroupWithMembers) => ({
  resourceType: type,
  created: resource.createdAt.toISOString(),
  lastModified: resource.updatedAt.toISOString(),
  location: resourceLocation(base, type, publicIdOf(resource)),
  version: toETag(resource.version),
});

const membersPerChunk = 1_000;

interface Projecting {
  projection: Projection;
  type: ResourceType;
  check?: (() => void) | undefined;
}

/** Like `project`, but without blocking the event loop: a group may have 200,000 members. Returns a promise only for a large group. */
export function projectResource(resource: JsonObject, { projection, type, check }: Projecting): Promise<JsonObject> | JsonObject {
  const { members } = resource;
  return Array.isArray(members) && members.length > membersPerChunk
    ? projectYielding(resource, members, { projection, type, check })
    : project(resource, projection, type);
}

async function projectYielding(resource: JsonObject, members: unknown[], { projection, type, check }: Projecting): Promise<JsonObject> {
  const pause = createYieldToEventLoop(check);
  const shown: unknown[] = [];
  for (let from = 0; from < members.length; from += membersPerChunk) {
    const some = project({ members: members.slice(from, from + membersPerChunk) }, projection, type)['members'];
    if (Array.isArray(some)) for (const member of some as unknown[]) shown.push(member);
    const pausing = pause();
    if (pausing) await pausing;
  }
  const { members: _all, ...rest } = resource;
  return { ...project(rest, projection, type), ...(shown.length > 0 && { members: shown }) };
}
