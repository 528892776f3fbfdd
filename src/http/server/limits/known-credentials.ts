import { createHash } from 'node:crypto';
import { createRecentMap } from '../../../shared/recent-map.ts';

export type KnownCredentials = ReturnType<typeof createKnownCredentials>;

const knownForMs = 3_600_000;
const keptAtMost = 50_000;

/**
 * Credentials that authentication accepted a short time ago. Before the next authentication that is all there is to tell a known caller
 * from one that tries; it opens nothing.
 */
export function createKnownCredentials({ always, now = Date.now }: { always: string[]; now?: () => number }) {
  const alwaysKnown = new Set(always.map(digest));
  const until = createRecentMap<number>(keptAtMost);
  return {
    remember(credentials: string): void {
      until.set(digest(credentials), now() + knownForMs);
    },
    has(credentials: string): boolean {
      const name = digest(credentials);
      return alwaysKnown.has(name) || (until.get(name) ?? 0) > now();
    },
  };
}

/** The secrets themselves have no business in another place. */
const digest = (text: string) => createHash('sha256').update(text).digest('base64');
