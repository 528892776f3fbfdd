import { AppError } from '../errors.ts';

/** Bounds what request bodies take of the memory of this process, from their first byte until they are answered. */
export interface BodiesInFlight {
  /** Starts to count a body for an owner, one directory as a rule. */
  open(owner: string): CountedBody;
}

interface CountedBody {
  /** Returns an error if there is no room for more. */
  add(bytes: number): AppError | undefined;
  release(): void;
}

/** Small ones are always let in: they are no danger, and one owner's large ones must not keep out those of others. */
export const freeBytes = 65_536;

export function createBodiesInFlight({ maxBytes }: { maxBytes: number }): BodiesInFlight {
  let all = 0;
  const byOwner = new Map<string, number>();
  return {
    open(owner) {
      let seen = 0;
      let counted = 0;
      return {
        add(bytes) {
          seen += bytes;
          if (seen <= freeBytes) return undefined;
          const more = seen - counted;
          const owned = byOwner.get(owner) ?? 0;
          // One alone is always let in, whatever the limit is.
          if (all > counted && all + more > maxBytes) return overloaded('this process', maxBytes, 'MAX_BODIES_BYTES');
          if (owned > counted && owned + more > maxBytes / 2) return overloaded('one directory', maxBytes / 2, 'half of MAX_BODIES_BYTES');
          counted += more;
          all += more;
          byOwner.set(owner, owned + more);
          return undefined;
        },
        release() {
          all -= counted;
          const left = (byOwner.get(owner) ?? 0) - counted;
          if (left > 0) byOwner.set(owner, left);
          else byOwner.delete(owner);
          counted = 0;
        },
      };
    },
  };
}

const overloaded = (whose: string, maxBytes: number, setting: string) =>
  new AppError('unavailable', `Request bodies of ${whose} may take at most ${Math.floor(maxBytes)} bytes at once (${setting}); try again.`);
