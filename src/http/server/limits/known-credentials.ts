import { createHash } from 'node:crypto';
import { createRecentMap } from '../../../shared/recent-map.ts';

export type KnownCredentials = ReturnType<typeof createKnownCredentials>;

const knownForMs = 3_600_000;
const keptAtMost = 50_000;

/**
 * Credentials that were accepted recently. Before authentication, they distinguish known callers from strangers. They grant nothing.
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

/** Only hashes are kept. */
const digest = (text: string) => createHash('sha256').update(text).digest('base64');
