import { createRecentMap } from '../shared/recent-map.ts';

/** How long a key or a session is used without reading it again. A revocation takes effect in every process within this time. */
export const trustedForMs = 500;
const maxKept = 20_000;

interface Reading<Found> {
  sinceMs: number;
  found: Promise<Found>;
}

/** Reads a credential once for all requests within `trustedForMs`. */
export function createRecentReads<Found>(read: (name: string) => Promise<Found>) {
  let recent = createRecentMap<Reading<Found>>(maxKept);
  return {
    async find(name: string): Promise<Found> {
      const former = recent.get(name);
      if (former && isTrusted(former)) {
        const found = await former.found;
        // The statement may have been slow.
        if (isTrusted(former)) return found;
      }
      const reading = { sinceMs: performance.now(), found: read(name) };
      recent.set(name, reading);
      return reading.found.catch((error: unknown) => {
        recent.set(name, { ...reading, sinceMs: -Infinity });
        throw error;
      });
    },

    /** Makes the next request read again. */
    invalidate(): void {
      recent = createRecentMap(maxKept);
    },
  };
}

const isTrusted = ({ sinceMs }: { sinceMs: number }) => performance.now() - sinceMs < trustedForMs;
