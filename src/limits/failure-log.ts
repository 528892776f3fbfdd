import type { Logger } from '../logger.ts';
import type { FailedAuthentication } from './failed-authentications.ts';
import { sourceOf } from './networks.ts';

interface FailureLogOptions {
  log: Pick<Logger, 'warn'>;
  now?: () => number;
  windowMs?: number;
}

/** Of one window: lines for each source, lines in all, sources whose suppressed lines are counted one by one, sources in the summary. */
const linesPerSource = 10;
const maxLines = 200;
const maxSources = 2_000;
const summarized = 20;

/** One line for each failure, until there are too many in a minute; the rest is summed up for each source when the minute is over. */
export function createFailureLog({ log, now = Date.now, windowMs = 60_000 }: FailureLogOptions) {
  let endsAtMs = -Infinity;
  let lines = 0;
  let written = new Map<string, number>();
  let suppressed = new Map<string, number>();
  let elsewhere = 0;

  return {
    /** Whether it has a line of its own. */
    note(failure: FailedAuthentication): boolean {
      if (now() >= endsAtMs) begin();
      const source = sourceOf(failure.address);
      const ofSource = written.get(source) ?? 0;
      if (ofSource < linesPerSource && lines < maxLines) {
        lines += 1;
        written.set(source, ofSource + 1);
        const { address, ...rest } = failure;
        log.warn({ source: address || 'unknown', ...rest }, 'authentication failed');
        return true;
      }
      if (suppressed.size === 0) setTimeout(summarize, Math.max(0, endsAtMs - now())).unref();
      if (suppressed.has(source) || suppressed.size < maxSources) suppressed.set(source, (suppressed.get(source) ?? 0) + 1);
      else elsewhere += 1;
      return false;
    },
  };

  function begin() {
    summarize();
    endsAtMs = now() + windowMs;
    lines = 0;
    written = new Map();
  }

  function summarize() {
    const sources = [...suppressed].toSorted(([, one], [, other]) => other - one);
    for (const [source, failures] of sources.slice(0, summarized))
      log.warn({ source, failures }, 'authentication failed more often than it is logged');
    const rest = sources.slice(summarized);
    const failures = rest.reduce((sum, [, count]) => sum + count, elsewhere);
    if (failures > 0) log.warn({ sources: rest.length, failures }, 'authentication failed from many other sources');
    suppressed = new Map();
    elsewhere = 0;
  }
}
