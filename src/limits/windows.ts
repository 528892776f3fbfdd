import { andThen } from '../shared/and-then.ts';
import { createRecentMap } from '../shared/recent-map.ts';
import type { Limit, Counters, Series } from './ports.ts';

interface LimitedKey {
  /** What is counted together. */
  key: string;
  limit: Limit;
}

/** What was counted for a request, so that it can be undone. */
export interface Counted {
  keys: LimitedKey[];
  atMs: number;
}

export interface WindowState {
  name: 'burst' | 'sustained';
  seconds: number;
  quota: number;
  remaining: number;
  /** Time until all current counts have left the window. */
  resetMs: number;
}

export interface Verdict {
  isAllowed: boolean;
  /** Time until a request may be allowed again; 0 for an allowed one. */
  waitMs: number;
  windows: WindowState[];
}

/**
 * Sliding windows made of time slots. A request counts until the start of its slot has left the window. So a count may expire a tenth of a
 * second too early (of a minute: three seconds), but never too late: a client within the limit is never rejected.
 */
const spans = [
  { name: 'burst', of: 'rps', seconds: 1, slotMs: 100, slots: 10 },
  { name: 'sustained', of: 'rpm', seconds: 60, slotMs: 3_000, slots: 20 },
] as const;

/** Cached rejections, so that a client that keeps sending costs nothing. */
const maxCached = 10_000;
const maxCachedMs = 1_000;

interface CachedRejection {
  atMs: number;
  untilMs: number;
  verdicts: Verdict[];
}

interface WindowsDeps {
  counters: Counters;
  now?: () => number;
}

export type Windows = ReturnType<typeof createWindows>;

export function createWindows({ counters, now = Date.now }: WindowsDeps) {
  const rejections = createRecentMap<CachedRejection>(maxCached);

  return {
    /** Counts one request under all keys, or under none if one of them is at its limit. Adds what was counted to `counted`. */
    take(keys: LimitedKey[], counted?: Counted[]): Verdict[] | Promise<Verdict[]> {
      const nowMs = now();
      const rejected = rejections.isEmpty() ? undefined : rejections.get(nameOf(keys));
      if (rejected && rejected.untilMs > nowMs && nowMs >= rejected.atMs)
        return rejected.verdicts.map((verdict) => ageVerdict(verdict, nowMs - rejected.atMs));
      const series = allSeries(keys, nowMs);
      return andThen(counters.add(series), (counts) => {
        const verdicts = keys.map(({ limit }, index) =>
          evaluate(limit, counts.slice(index * spans.length, (index + 1) * spans.length), nowMs),
        );
        if (verdicts.every(({ isAllowed }) => isAllowed)) {
          counted?.push({ keys, atMs: nowMs });
          return verdicts;
        }
        // Requests that are rejected concurrently may still be counted, so the wait may be too long. The cache is therefore short.
        const waitMs = Math.min(maxCachedMs, Math.max(...verdicts.map((verdict) => verdict.waitMs)));
        rejections.set(nameOf(keys), { atMs: nowMs, untilMs: nowMs + waitMs, verdicts });
        return andThen(counters.takeBack(series), () => verdicts);
      });
    },

    /** Undoes the counts of a request that something else rejected. */
    giveBack: (counted: Counted[]): void | Promise<void> => counters.takeBack(counted.flatMap(({ keys, atMs }) => allSeries(keys, atMs))),
  };
}

type Span = (typeof spans)[number];

const nameOf = (keys: LimitedKey[]) => keys.map(({ key, limit: { rps, rpm } }) => `${key} ${rps} ${rpm}`).join('\n');

const toSeries = (key: string, { slotMs, slots }: Span, nowMs: number): Series => ({
  key,
  slotMs,
  newest: Math.floor(nowMs / slotMs),
  slots,
});

const allSeries = (keys: LimitedKey[], nowMs: number) => keys.flatMap(({ key }) => spans.map((span) => toSeries(key, span, nowMs)));

function evaluate(limit: Limit, counts: number[][], nowMs: number): Verdict {
  const evaluated = spans.map((span, index) => evaluateWindow(span, limit[span.of], counts[index]!, nowMs));
  const waitMs = Math.max(...evaluated.map((one) => one.waitMs));
  const takenBack = waitMs > 0 ? 1 : 0;
  return {
    isAllowed: waitMs === 0,
    waitMs,
    // Copied by name: the rest of an object costs a microsecond.
    windows: evaluated.map(({ name, seconds, quota, left, resetMs }) => ({
      name,
      seconds,
      quota,
      remaining: Math.max(0, left + takenBack),
      resetMs,
    })),
  };
}

/** The counts include the request itself. */
function evaluateWindow({ name, seconds, slotMs, slots }: Span, quota: number, counts: number[], nowMs: number) {
  let total = 0;
  for (const count of counts) total += count;
  const newest = Math.floor(nowMs / slotMs);
  const leavesInMs = (age: number) => (newest - age + slots) * slotMs - nowMs;
  let waitMs = 0;
  for (let [age, left] = [slots - 1, total]; left > quota && age >= 0; age -= 1) {
    left -= counts[age] ?? 0;
    waitMs = leavesInMs(age);
  }
  return {
    name,
    seconds,
    quota,
    left: quota - total,
    waitMs,
    resetMs: leavesInMs(
      Math.max(
        0,
        counts.findIndex((count) => count > 0),
      ),
    ),
  };
}

const ageVerdict = (verdict: Verdict, passedMs: number): Verdict =>
  verdict.isAllowed ? verdict : { ...verdict, waitMs: Math.max(1, verdict.waitMs - passedMs) };
