import type { DirectoryStore } from '../directory/ports.ts';
import type { ScimSecretStore } from '../directory/scim-secrets.ts';

type Access = NonNullable<Awaited<ReturnType<DirectoryStore['getScimAccess']>>>;

interface Stores {
  directoryStore: DirectoryStore;
  scimSecretStore: ScimSecretStore;
}

interface Options {
  /** What another process changed may go unnoticed for so long. */
  forMs?: number;
  mostDirectories?: number;
  now?: () => number;
}

/**
 * Who may push is asked for with every request, and is seldom another than a moment ago. What is changed here is forgotten at once; a
 * directory that is not known is asked for each time.
 */
export function rememberAccess<Given extends Stores>(
  stores: Given,
  { forMs = 1_000, mostDirectories = 10_000, now = () => performance.now() }: Options = {},
): Given {
  const { directoryStore, scimSecretStore } = stores;
  const known = new Map<string, { access: Access; until: number }>();
  let changes = 0;

  /** Before and after: what was read in between may be of before. */
  const forgetting = async <T>(directoryId: string, change: () => Promise<T>): Promise<T> => {
    const forget = () => {
      changes += 1;
      known.delete(directoryId);
    };
    forget();
    return change().finally(forget);
  };

  async function getScimAccess(directoryId: string): Promise<Access | undefined> {
    const found = known.get(directoryId);
    if (found && found.until > now()) return found.access;
    const [askedMs, changesBefore] = [now(), changes];
    const access = await directoryStore.getScimAccess(directoryId);
    if (!access || changes !== changesBefore) return access;
    known.delete(directoryId);
    if (known.size >= mostDirectories) known.delete(known.keys().next().value!);
    // Its use is noted once: whoever asks next need not.
    const noted = { ...access, secrets: access.secrets.map((secret) => ({ ...secret, isUseNoted: true })) };
    known.set(directoryId, { access: noted, until: askedMs + forMs });
    return access;
  }

  return {
    ...stores,
    directoryStore: {
      ...directoryStore,
      getScimAccess,
      update: (id, change) => forgetting(id, () => directoryStore.update(id, change)),
      remove: (id) => forgetting(id, () => directoryStore.remove(id)),
    },
    scimSecretStore: {
      ...scimSecretStore,
      rotate: (directoryId, rotation) => forgetting(directoryId, () => scimSecretStore.rotate(directoryId, rotation)),
    },
  };
}
