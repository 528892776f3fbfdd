import { AppError } from '../../errors.ts';
import { createRecentMap } from '../../shared/recent-map.ts';

interface ChangeLimitOptions {
  now: () => number;
  /** Enough to fill in a page. */
  atOnce: number;
  /** The subject of the error's sentence. */
  subject: string;
}

/** After `atOnce` changes, one more in this time. */
const everyMs = 30_000;
const maxKeys = 10_000;

/** Nobody has to be asked for a change by a link, so that its holder must not keep the service busy, or fill the audit log. It counts in this process. */
export function createChangeLimit({ now, atOnce, subject }: ChangeLimitOptions): (key: string) => void {
  /** When a key has all its changes again. */
  const restoredAtMs = createRecentMap<number>(maxKeys);
  return function countChange(key) {
    const nowMs = now();
    const nextMs = Math.max(nowMs, restoredAtMs.get(key) ?? 0) + everyMs;
    const seconds = Math.ceil((nextMs - nowMs - atOnce * everyMs) / 1_000);
    if (seconds > 0)
      throw new AppError('rate_limited', `${subject} at most ${atOnce} times at once (fixed limit); try again in ${seconds} s.`, {
        retryAfterSeconds: seconds,
      });
    restoredAtMs.set(key, nextMs);
  };
}
