import type { DirectoryStore, ScimAccess } from '../directory/ports.ts';
import type { ScimSecretStore } from '../directory/directories/scim-secrets.ts';
import type { ScimClientStore } from '../directory/scim-clients/ports.ts';

interface Stores {
  directoryStore: DirectoryStore;
  scimSecretStore: ScimSecretStore;
  scimClientStore: ScimClientStore;
}

interface Options {
  /** How long a change by another process may go unnoticed. With the time of a request, less than a second. */
  forMs?: number;
  maxDirectories?: number;
  /** It is called before and after each change of a directory's settings in this process. */
  onChange?: (directoryId: string) => void;
  now?: () => number;
}

/**
 * Caches the SCIM access of directories for a moment, because every pushed request needs it. A change in this process takes effect
 * immediately. Unknown directories are not cached.
 */
export function cacheScimAccess<Given extends Stores>(
  stores: Given,
  { forMs = 500, maxDirectories = 10_000, onChange = () => undefined, now = () => performance.now() }: Options = {},
): Given {
  const { directoryStore, scimSecretStore, scimClientStore } = stores;
  const known = new Map<string, { access: ScimAccess; until: number }>();
  let changes = 0;

  /** Forgets before and after the change: a read in between may return the old access. */
  const forgetting = async <T>(directoryId: string, change: () => Promise<T>): Promise<T> => {
    const forget = () => {
      changes += 1;
      known.delete(directoryId);
      onChange(directoryId);
    };
    forget();
    return change().finally(forget);
  };

  async function getScimAccess(directoryId: string, { isFresh = false } = {}): Promise<ScimAccess | undefined> {
    const found = isFresh ? undefined : known.get(directoryId);
    if (found && found.until > now()) return found.access;
    const [startedMs, changesBefore] = [now(), changes];
    const access = await directoryStore.getScimAccess(directoryId);
    if (!access || changes !== changesBefore) return access;
    known.delete(directoryId);
    if (known.size >= maxDirectories) known.delete(known.keys().next().value!);
    // The use of a secret is noted once, not for each request.
    const noted = { ...access, isFresh: false, secrets: access.secrets.map((secret) => ({ ...secret, isUseNoted: true })) };
    known.set(directoryId, { access: noted, until: startedMs + forMs });
    return access;
  }

  return {
    ...stores,
    directoryStore: {
      ...directoryStore,
      getScimAccess,
      update: (id, change) => forgetting(id, () => directoryStore.update(id, change)),
      remove: (id, removal) => forgetting(id, () => directoryStore.remove(id, removal)),
    },
    scimSecretStore: {
      ...scimSecretStore,
      rotate: (directoryId, rotation) => forgetting(directoryId, () => scimSecretStore.rotate(directoryId, rotation)),
    },
    scimClientStore: {
      ...scimClientStore,
      update: (directoryId, id, change, at) => forgetting(directoryId, () => scimClientStore.update(directoryId, id, change, at)),
      revoke: (directoryId, id) => forgetting(directoryId, () => scimClientStore.revoke(directoryId, id)),
      revokeTokens: (directoryId, id) => forgetting(directoryId, () => scimClientStore.revokeTokens(directoryId, id)),
    },
  };
}
