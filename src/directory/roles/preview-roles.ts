import { toRaw } from '../../scim/pushed.ts';
import { createPreviewNewest, type PreviewCounts, type PreviewedUsers, type PreviewOptions } from '../attributes/preview-newest.ts';
import { publicIdOf } from '../resources/resource-ids.ts';
import { isSameRoles, type PresentedRoles, presentRoles, toGroupRoles, toShownRoles } from './compute-roles.ts';
import type { DirectoryRoles, RoleStore } from './ports.ts';
import type { RoleTable } from './role-table.ts';

export interface RolePreview extends PreviewCounts {
  /** The places of the rows whose groups do not exist. */
  unmatched: number[];
  samples: { id: string; roles: PresentedRoles; former: PresentedRoles }[];
}

interface PreviewRolesDeps {
  store: Pick<RoleStore, 'findGroups' | 'findPlaces'>;
  users: PreviewedUsers;
}

export function createPreviewRoles({ store, users }: PreviewRolesDeps) {
  const previewNewest = createPreviewNewest({ name: 'role previews', users });

  return async function previewRoles(
    directoryId: string,
    /** Without a table: what its removal would change. */
    { table, ...directory }: DirectoryRoles,
    { limit, signal }: PreviewOptions,
  ): Promise<RolePreview> {
    const samples: RolePreview['samples'] = [];
    let unmatched: number[] | undefined;
    const counts = await previewNewest(
      directoryId,
      directory,
      {
        async beginPage(page) {
          unmatched ??= table ? await findUnmatched(directoryId, table) : [];
          const pageIds = page.map(({ id }) => id);
          const places = table ? await store.findPlaces(directoryId, table, pageIds) : new Map<string, number[]>();
          return (user) => {
            const { resource, pushed } = user;
            const groupRoles = table && toGroupRoles(table, places.get(user.id) ?? []);
            const roles = table && toShownRoles(table, { resource, pushed, groupRoles });
            if (samples.length < limit) {
              const raw = toRaw(resource, pushed);
              samples.push({ id: publicIdOf(user), roles: presentRoles(roles, raw), former: presentRoles(user.roles, raw) });
            }
            return !isSameRoles(user, { resource, pushed, roles });
          };
        },
      },
      signal,
    );
    return { ...counts, unmatched: unmatched ?? [], samples };
  };

  async function findUnmatched(directoryId: string, table: RoleTable): Promise<number[]> {
    const groups = await store.findGroups(directoryId, table);
    return [...table.groups.keys()].filter((place) => !groups.has(place));
  }
}
