import { createPause } from '../pause.ts';
import { project, type Projection } from '../scim/projection.ts';
import type { ResourceType } from '../scim/schema/attribute.ts';
import type { JsonObject } from '../scim/json.ts';

const membersAtOnce = 1_000;

/** As `project`, without holding up others: a group may have 200,000 members. */
export async function projectResource(
  resource: JsonObject,
  { projection, type, check }: { projection: Projection; type: ResourceType; check?: () => void },
): Promise<JsonObject> {
  const { members } = resource;
  if (!Array.isArray(members) || members.length <= membersAtOnce) return project(resource, projection, type);
  const pause = createPause(check);
  const shown: unknown[] = [];
  for (let from = 0; from < members.length; from += membersAtOnce) {
    const some = project({ members: members.slice(from, from + membersAtOnce) as unknown[] }, projection, type)['members'];
    if (Array.isArray(some)) for (const member of some as unknown[]) shown.push(member);
    await pause();
  }
  const { members: _all, ...rest } = resource;
  return { ...project(rest, projection, type), ...(shown.length > 0 && { members: shown }) };
}
