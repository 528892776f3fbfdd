import type { Logger } from '../logger.ts';
import { createTokenBuckets } from './token-buckets.ts';
import { isAddress, sourceOf } from './networks.ts';

export interface FailedAuthentication {
  at: 'api' | 'scim' | 'gateway' | 'metrics' | 'consent';
  /** Of the client; empty where it is not known. */
  address: string;
  /** The directory that was asked for, whether or not it exists. */
  directoryId?: string | undefined;
  requestId?: string | undefined;
}

/** Which limit a failure is over, and for how long. */
export interface Exceeded {
  limit: 'source' | 'directory';
  perMinute: number;
  setting: 'AUTH_FAILURES_PER_SOURCE' | 'AUTH_FAILURES_PER_DIRECTORY';
  waitMs: number;
}

export interface FailedAuthenticationsDeps {
  perSource: number;
  perDirectory: number;
  metrics: { authenticationFailed(labels: { at: FailedAuthentication['at']; outcome: 'refused' | 'limited' }): void };
  log: Pick<Logger, 'warn'>;
  now?: () => number;
  logWindowMs?: number;
}

export type FailedAuthentications = ReturnType<typeof createFailedAuthentications>;

/**
 * Counts failures only, after the credentials were compared: whoever fails from an address or for a directory can't keep valid credentials
 * out. Each process counts for itself.
 */
export function createFailedAuthentications({
  perSource,
  perDirectory,
  metrics,
  log,
  now = Date.now,
  logWindowMs,
}: FailedAuthenticationsDeps) {
  const sources = createTokenBuckets({ perMinute: perSource, now });
  const directories = createTokenBuckets({ perMinute: perDirectory, now });
  const failureLog = createFailureLog({ log, now, ...(logWindowMs !== undefined && { windowMs: logWindowMs }) });

  return {
    note(failure: FailedAuthentication): { exceeded?: Exceeded; isLogged: boolean } {
      const { at, address, directoryId } = failure;
      const isLogged = failureLog.note(failure);
      // Requests that an application hands to the library have no address; they are not one source.
      const source = isAddress(address) ? sourceOf(address) : undefined;
      const bySource = source === undefined ? 0 : sources.waitMs(source);
      const byDirectory = directoryId === undefined ? 0 : directories.waitMs(directoryId);
      const exceeded = bySource > 0 || byDirectory > 0;
      metrics.authenticationFailed({ at, outcome: exceeded ? 'limited' : 'refused' });
      if (exceeded) return { exceeded: bySource >= byDirectory ? overSource(bySource) : overDirectory(byDirectory), isLogged };
      // What one limit refuses counts in no other.
      if (source !== undefined) sources.take(source);
      if (directoryId !== undefined) directories.take(directoryId);
      return { isLogged };
    },
  };

  function overSource(waitMs: number): Exceeded {
    return { limit: 'source', perMinute: perSource, setting: 'AUTH_FAILURES_PER_SOURCE', waitMs };
  }

  function overDirectory(waitMs: number): Exceeded {
    return { limit: 'directory', perMinute: perDirectory, setting: 'AUTH_FAILURES_PER_DIRECTORY', waitMs };
  }
}

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
function createFailureLog({ log, now = Date.now, windowMs = 60_000 }: FailureLogOptions) {
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
