/** When the secret of a request to a directory was rejected. The directory may not exist. */
export interface RejectedSecret {
  directoryId: string;
  atMs: number;
}

/** Keeps the newest time of each directory in memory. When there are too many directories, the newest ones are left out. */
export function createRejectedSecrets(maxDirectories = 10_000) {
  let rejected = new Map<string, number>();
  function add({ directoryId, atMs }: RejectedSecret): void {
    const former = rejected.get(directoryId);
    if (former === undefined ? rejected.size < maxDirectories : former < atMs) rejected.set(directoryId, atMs);
  }
  return {
    add,
    /** Adds what was taken and could not be stored. */
    putBack: (taken: RejectedSecret[]): void => taken.forEach(add),
    isEmpty: () => rejected.size === 0,
    takeAll(): RejectedSecret[] {
      const taken = [...rejected].map(([directoryId, atMs]) => ({ directoryId, atMs }));
      rejected = new Map();
      return taken;
    },
  };
}
