import { AppError } from '../../../errors.ts';
import { estimateMemory } from '../../../shared/json-memory.ts';

/** Bounds what request bodies take of the memory of this process, from their first byte until they are answered. */
export interface BodiesInFlight {
  /** Starts to count a body for an owner, one directory as a rule. */
  open(owner: string): CountedBody;
}

export interface CountedBody {
  /** More of it was received. Returns an error if there is no room for that. */
  add(bytes: number): AppError | undefined;
  /** It is known how many JSON values it holds. Returns an error if there is no room for them. */
  addValues(values: number): AppError | undefined;
  release(): void;
}

/** Small ones are always let in: they are no danger, and one owner's large ones must not keep out those of others. */
const freeBytes = 32_768;

export function createBodiesInFlight({ maxBytes }: { maxBytes: number }): BodiesInFlight {
  let all = 0;
  const byOwner = new Map<string, number>();
  return {
    open(owner) {
      let received = 0;
      let counted = 0;
      const count = (values: number) => {
        const takes = estimateMemory({ bytes: received, values });
        if (takes <= freeBytes) return undefined;
        const more = takes - counted;
        const owned = byOwner.get(owner) ?? 0;
        // One alone is always let in, whatever the limit is.
        if (all > counted && all + more > maxBytes) return overloaded('this process', maxBytes, 'MAX_BODIES_BYTES');
        // So one owner leaves half to others, and two that work together a quarter.
        const share = (maxBytes - all + owned) / 2;
        if (owned > counted && owned + more > share)
          return overloaded('one directory', share, 'half of what others leave of MAX_BODIES_BYTES');
        counted += more;
        all += more;
        byOwner.set(owner, owned + more);
        return undefined;
      };
      return {
        add(bytes) {
          received += bytes;
          return count(0);
        },
        addValues: count,
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
  new AppError(
    'unavailable',
    `Request bodies of ${whose} may take at most ${Math.floor(maxBytes)} bytes of memory at once (${setting}); try again.`,
  );
