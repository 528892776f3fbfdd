import { createPause } from '../../shared/pause.ts';
import { project, type Projection } from '../../scim/projection.ts';
import type { ResourceType } from '../../scim/schema/attribute.ts';
import type { JsonObject } from '../../scim/json.ts';

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
    ? projectPausing(resource, members, { projection, type, check })
    : project(resource, projection, type);
}

async function projectPausing(resource: JsonObject, members: unknown[], { projection, type, check }: Projecting): Promise<JsonObject> {
  const pause = createPause(check);
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
