import { AppError } from '../errors.ts';
import type { ApplyGroup } from './intake.ts';
import type { Intake } from './ports.ts';

const minuteMs = 60_000;
const minutes = 60;

interface Recent {
  total: number;
  /** By the minute. */
  counts: number[];
}

/** How many changes of each directory this process has handed to Temporal within the last hour. */
export interface HourlyChanges {
  /** 429 for a directory that has reached the limit. */
  limit(intake: Intake): Intake;
  /** Counts what is handed over, and nothing that was rejected before. */
  count(apply: ApplyGroup): ApplyGroup;
  useOf(directoryId: string): { used: number; limit: number };
}

/** Temporal keeps what each change leaves for an hour or more, and has no quota for a directory: without a limit one could fill its disk. */
export function createHourlyChanges(perHour: number, now: () => number = Date.now): HourlyChanges {
  const recent = new Map<string, Recent>();
  let minute = minuteNow();

  return {
    limit: (intake) => ({
      submit(mutation, caller) {
        forget();
        const of = recent.get(mutation.directoryId);
        return of && of.total >= perHour ? Promise.reject(reject(of)) : intake.submit(mutation, caller);
      },
    }),
    count: (apply) => (mutations, settle) => {
      forget();
      for (const { directoryId } of mutations) {
        let of = recent.get(directoryId);
        if (!of) recent.set(directoryId, (of = { total: 0, counts: Array.from({ length: minutes }, () => 0) }));
        of.total += 1;
        of.counts[minute % minutes]! += 1;
      }
      return apply(mutations, settle);
    },
    useOf(directoryId) {
      forget();
      return { used: recent.get(directoryId)?.total ?? 0, limit: perHour };
    },
  };

  function reject({ counts }: Recent): AppError {
    const oldest = Array.from({ length: minutes }, (_, step) => minute - minutes + 1 + step).find((of) => counts[of % minutes]! > 0)!;
    const seconds = Math.ceil(((oldest + minutes) * minuteMs - now()) / 1_000);
    return new AppError(
      'rate_limited',
      `A directory may have at most ${perHour} changes within an hour (CHANGES_PER_HOUR_PER_DIRECTORY). Nothing was changed; try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  }

  function minuteNow(): number {
    return Math.floor(now() / minuteMs);
  }

  /** What is an hour old. Looks at all directories once a minute. */
  function forget(): void {
    const passed = Math.min(minuteNow() - minute, minutes);
    if (passed <= 0) return;
    for (const [directoryId, of] of recent) {
      for (let step = 1; step <= passed; step += 1) {
        const slot = (minute + step) % minutes;
        of.total -= of.counts[slot]!;
        of.counts[slot] = 0;
      }
      if (of.total === 0) recent.delete(directoryId);
    }
    minute = minuteNow();
  }
}
