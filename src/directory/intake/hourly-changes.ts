import { AppError } from '../../errors.ts';
import type { CommitMutations } from './intake.ts';
import type { Intake } from '../ports.ts';

const minuteMs = 60_000;
const minutes = 60;
/** A change counts once, and once more for each time its JSON has this size. */
const bytesPerCount = 65_536;

interface Recent {
  total: number;
  /** One counter per minute, as a ring. */
  counts: number[];
}

/** Counts the changes of each directory that this process submitted to Temporal within the last hour. */
export interface HourlyChanges {
  /** Responds with 429 to a directory that has reached the limit. */
  limit(intake: Intake): Intake;
  /** Counts the changes that are submitted, but not those that were rejected before. */
  count(commitMutations: CommitMutations): CommitMutations;
  useOf(directoryId: string): { used: number; limit: number };
}

/**
 * Temporal keeps each workflow for an hour or more and has no quotas: without a limit, one directory could fill its disk. Large changes count
 * more than once, because they also pass through Postgres and its log.
 */
export function createHourlyChanges(perHour: number, now: () => number = Date.now): HourlyChanges {
  const recent = new Map<string, Recent>();
  let minute = minuteNow();

  return {
    limit: (intake) => ({
      assertAccepts(directoryId, options) {
        assertBelowLimit(directoryId);
        intake.assertAccepts(directoryId, options);
      },
      async submit(mutation, caller) {
        assertBelowLimit(mutation.directoryId);
        return intake.submit(mutation, caller);
      },
    }),
    count: (commitMutations) => (mutations, settle, bytes) => {
      dropOld();
      for (const [index, { directoryId }] of mutations.entries()) {
        const counted = 1 + Math.floor((bytes?.[index] ?? 0) / bytesPerCount);
        let own = recent.get(directoryId);
        if (!own) recent.set(directoryId, (own = { total: 0, counts: Array.from({ length: minutes }, () => 0) }));
        own.total += counted;
        own.counts[minute % minutes]! += counted;
      }
      return commitMutations(mutations, settle, bytes);
    },
    useOf(directoryId) {
      dropOld();
      return { used: recent.get(directoryId)?.total ?? 0, limit: perHour };
    },
  };

  function assertBelowLimit(directoryId: string): void {
    dropOld();
    const own = recent.get(directoryId);
    if (own && own.total >= perHour) throw limitReached(own);
  }

  function limitReached({ counts }: Recent): AppError {
    const oldest = Array.from({ length: minutes }, (_, step) => minute - minutes + 1 + step).find((past) => counts[past % minutes]! > 0)!;
    const seconds = Math.ceil(((oldest + minutes) * minuteMs - now()) / 1_000);
    return new AppError(
      'rate_limited',
      `A directory may have at most ${perHour} changes within an hour (CHANGES_PER_HOUR_PER_DIRECTORY; each 64 KiB of a change counts as one more). Nothing was changed; try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  }

  function minuteNow(): number {
    return Math.floor(now() / minuteMs);
  }

  /** Drops counters that are an hour old. Visits all directories once a minute. */
  function dropOld(): void {
    const passed = Math.min(minuteNow() - minute, minutes);
    if (passed <= 0) return;
    for (const [directoryId, own] of recent) {
      for (let step = 1; step <= passed; step += 1) {
        const slot = (minute + step) % minutes;
        own.total -= own.counts[slot]!;
        own.counts[slot] = 0;
      }
      if (own.total === 0) recent.delete(directoryId);
    }
    minute = minuteNow();
  }
}
