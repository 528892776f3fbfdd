import type { GroupStore, ResourcePage, ResourceQuery, UserStore } from '../../directory/ports.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { includesAttribute, type Projection } from '../../scim/projection.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { presentGroup, presentUser, scimBase, type ScimResource } from './presenter.ts';

interface ScimReaderDeps {
  users: UserStore;
  groups: GroupStore;
  baseUrl(): string;
}

interface ScimReading {
  projection: Projection;
  /** Aborted when the caller leaves. */
  signal: () => AbortSignal;
}

export type ScimReader = ReturnType<typeof createScimReader>;

/** Reads resources in SCIM's form. The members of groups and the groups of users are read only if the projection includes them. */
export function createScimReader({ users, groups, baseUrl }: ScimReaderDeps) {
  return {
    async find(
      type: ResourceTypeName,
      directoryId: string,
      id: string,
      { projection, signal }: ScimReading,
    ): Promise<ScimResource | undefined> {
      const base = scimBase(baseUrl(), directoryId);
      if (type === 'User') {
        const user = await users.get(directoryId, id, { withGroups: includesAttribute(projection, 'groups') });
        return user && presentUser(base, user);
      }
      const group = await groups.get(directoryId, id, { withMembers: includesAttribute(projection, 'members') });
      return group && (await presentGroup(base, group, signal));
    },

    async list(
      type: ResourceTypeName,
      directoryId: string,
      query: ResourceQuery,
      { projection, signal }: ScimReading,
    ): Promise<ResourcePage<ScimResource>> {
      const base = scimBase(baseUrl(), directoryId);
      if (type === 'User') {
        const page = await users.list(directoryId, { ...query, withGroups: includesAttribute(projection, 'groups') });
        const resources: ScimResource[] = [];
        const pause = createYieldToEventLoop(() => signal().throwIfAborted());
        for (const user of page.resources) {
          resources.push(presentUser(base, user));
          const pausing = pause();
          if (pausing) await pausing;
        }
        return { ...page, resources };
      }
      const page = await groups.list(directoryId, { ...query, withMembers: includesAttribute(projection, 'members') });
      const resources: ScimResource[] = [];
      for (const group of page.resources) resources.push(await presentGroup(base, group, signal));
      return { ...page, resources };
    },
  };
}
