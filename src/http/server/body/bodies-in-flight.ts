import { AppError } from '../../../errors.ts';
import { estimateJsonMemory } from '../../../shared/json-memory.ts';

/** Limits the memory of request bodies in this process, from their first byte until the response. */
export interface BodiesInFlight {
  /** Starts to count a body for an owner, usually a directory. */
  open(owner: string): CountedBody;
}

export interface CountedBody {
  /** Counts received bytes. Returns an error if there is no room for them. */
  add(bytes: number): AppError | undefined;
  /** Counts the JSON values of the body. Returns an error if there is no room for them. */
  addValues(values: number): AppError | undefined;
  release(): void;
}

/** Small bodies are always accepted, so that one owner's large bodies do not block the small ones of others. */
const freeBytes = 32_768;

export function createBodiesInFlight({ maxBytes }: { maxBytes: number }): BodiesInFlight {
  let all = 0;
  const byOwner = new Map<string, number>();
  return {
    open(owner) {
      let received = 0;
      let counted = 0;
      const count = (values: number) => {
        const takes = estimateJsonMemory({ bytes: received, values });
        if (takes <= freeBytes) return undefined;
        const more = takes - counted;
        const owned = byOwner.get(owner) ?? 0;
        // A single body is always accepted, whatever the limit is.
        if (all > counted && all + more > maxBytes) return overloaded('this process', maxBytes, 'MAX_BODIES_BYTES');
        // One owner leaves half to others, and two together leave a quarter.
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
    `Request bodies of ${whose} may take at most ${Math.floor(maxBytes)} bytes of memory at the same time (${setting}); try again.`,
  );
