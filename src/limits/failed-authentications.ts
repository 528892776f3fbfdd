import type { Logger } from '../logger.ts';
import { isAddress, toSource } from './networks.ts';

export interface FailedAuthentication {
  at: 'api' | 'scim' | 'gateway' | 'metrics' | 'consent' | 'setup' | 'token' | 'sign_in' | 'session';
  /** The client's address; empty if unknown. */
  address: string;
  /** The requested directory, whether or not it exists. */
  directoryId?: string | undefined;
  requestId?: string | undefined;
}

/** The exceeded limit, and how long it stays exceeded. */
export interface Exceeded {
  limit: 'source' | 'directory';
  perMinute: number;
  setting: 'AUTH_FAILURES_PER_SOURCE' | 'AUTH_FAILURES_PER_DIRECTORY';
  waitMs: number;
}

interface FailedAuthenticationsDeps {
  perSource: number;
  perDirectory: number;
  /** Called for each SCIM request that failed. The directory may not exist. */
  onRejectedSecret?: (directoryId: string) => void;
  metrics: { authenticationFailed(labels: { at: FailedAuthentication['at']; outcome: 'rejected' | 'rate_limited' }): void };
  log: Pick<Logger, 'warn'>;
  now?: () => number;
  logWindowMs?: number;
}

export type FailedAuthentications = ReturnType<typeof createFailedAuthentications>;

/**
 * `note` counts only failures, after the credentials were compared, so that an attacker's failures do not block valid credentials. With
 * `LIMITS_PLAN`, `rejectEarly` can block them: SECURITY.md says when. Each process counts separately.
 */
export function createFailedAuthentications({
  perSource,
  perDirectory,
  onRejectedSecret,
  metrics,
  log,
  now = Date.now,
  logWindowMs = minuteMs,
}: FailedAuthenticationsDeps) {
  const sources = createTokenBuckets({ perMinute: perSource, now });
  const directories = createTokenBuckets({ perMinute: perDirectory, now });
  const rejections = createTokenBuckets({ perMinute: perSource * rejectionsPerFailure, now });
  const failureLog = createFailureLog({ log, now, windowMs: logWindowMs });

  return {
    note(failure: FailedAuthentication): { exceeded?: Exceeded; isLogged: boolean } {
      const { at, address, directoryId } = failure;
      if (at === 'scim' && directoryId !== undefined) onRejectedSecret?.(directoryId);
      const isLogged = failureLog.note(failure);
      const source = sourceOf(address);
      const bySource = source === undefined ? 0 : sources.waitMs(source);
      const byDirectory = directoryId === undefined ? 0 : directories.waitMs(directoryId);
      const exceeded = bySource > 0 || byDirectory > 0;
      metrics.authenticationFailed({ at, outcome: exceeded ? 'rate_limited' : 'rejected' });
      if (exceeded) {
        if (source !== undefined && rejections.waitMs(source) === 0) rejections.take(source);
        return { exceeded: bySource >= byDirectory ? overSource(bySource) : overDirectory(byDirectory), isLogged };
      }
      // A failure that one limit rejects is not counted by the other.
      if (source !== undefined) sources.take(source);
      if (directoryId !== undefined) directories.take(directoryId);
      return { isLogged };
    },

    /**
     * Rejects, before its credentials are compared, a source of which very many failures were rejected. For requests that other limits do
     * not count when this one rejects them.
     */
    rejectEarly(failure: FailedAuthentication): { exceeded: Exceeded; isLogged: boolean } | undefined {
      const source = sourceOf(failure.address);
      const waitMs = source === undefined ? 0 : rejections.waitMs(source);
      if (waitMs === 0) return undefined;
      metrics.authenticationFailed({ at: failure.at, outcome: 'rate_limited' });
      return { exceeded: overSource(waitMs), isLogged: failureLog.note(failure) };
    },

    /** Logs the failures that are counted, but not yet logged. */
    logCounted: failureLog.summarize,
  };

  function overSource(waitMs: number): Exceeded {
    return { limit: 'source', perMinute: perSource, setting: 'AUTH_FAILURES_PER_SOURCE', waitMs };
  }

  function overDirectory(waitMs: number): Exceeded {
    return { limit: 'directory', perMinute: perDirectory, setting: 'AUTH_FAILURES_PER_DIRECTORY', waitMs };
  }
}

/** Requests that an application passes to the library have no address and must not count as one source. */
const sourceOf = (address: string): string | undefined => (isAddress(address) ? toSource(address) : undefined);

/** With the defaults, a source may fail 60 times a minute, and 540 more failures are compared and rejected. */
const rejectionsPerFailure = 9;

interface FailureLogOptions {
  log: Pick<Logger, 'warn'>;
  now: () => number;
  windowMs: number;
}

/** Limits per window of the failures that get a line of their own. */
const linesPerSource = 10;
const maxLines = 200;
/** How many addresses are counted before they are logged early, and how many fit into one line. */
const maxCounted = 2_000;
const addressesPerLine = 100;

/**
 * Logs one line per failure until there are too many in a window. Further ones are counted per address, and the window ends with lines that
 * list every address with its count. No failure is left out.
 */
function createFailureLog({ log, now, windowMs }: FailureLogOptions) {
  let endsAtMs = -Infinity;
  let lines = 0;
  let written = new Map<string, number>();
  let counted = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  return {
    /** Returns whether the failure got its own line. */
    note(failure: FailedAuthentication): boolean {
      if (now() >= endsAtMs) begin();
      const { address, ...rest } = failure;
      const source = address.slice(0, maxAddressLength) || 'unknown';
      const network = toSource(address);
      const ofNetwork = written.get(network) ?? 0;
      if (ofNetwork < linesPerSource && lines < maxLines) {
        lines += 1;
        written.set(network, ofNetwork + 1);
        log.warn({ source, ...rest }, 'authentication failed');
        return true;
      }
      counted.set(source, (counted.get(source) ?? 0) + 1);
      if (counted.size >= maxCounted) summarize();
      else timer ??= setTimeout(summarize, Math.max(0, endsAtMs - now())).unref();
      return false;
    },

    summarize,
  };

  function begin() {
    summarize();
    endsAtMs = now() + windowMs;
    lines = 0;
    written = new Map();
  }

  function summarize() {
    clearTimeout(timer);
    timer = undefined;
    const sources = [...counted].toSorted(([, one], [, other]) => other - one).map(([source, failures]) => ({ source, failures }));
    counted = new Map();
    for (let first = 0; first < sources.length; first += addressesPerLine)
      log.warn({ sources: sources.slice(first, first + addressesPerLine) }, 'authentication failed again from these sources');
  }
}

/** A proxy may write anything. The longest IPv6 address has 45 characters. */
const maxAddressLength = 64;

interface TokenBucketsOptions {
  perMinute: number;
  now: () => number;
}

const minuteMs = 60_000;
/** Beyond this number, the least recently used keys are dropped. */
const maxKeys = 50_000;

/** Token buckets per key that refill evenly (GCRA: one timestamp per key says when it is full). Memory is bounded, and nothing waits. */
function createTokenBuckets({ perMinute, now }: TokenBucketsOptions) {
  const intervalMs = minuteMs / perMinute;
  const toleranceMs = minuteMs - intervalMs;
  const fullAtMs = new Map<string, number>();
  return {
    /** Time until the key has a token; 0 if it has one. */
    waitMs: (key: string): number => Math.max(0, (fullAtMs.get(key) ?? 0) - toleranceMs - now()),

    take(key: string): void {
      const next = Math.max(fullAtMs.get(key) ?? 0, now()) + intervalMs;
      fullAtMs.delete(key);
      if (fullAtMs.size >= maxKeys) dropOldest();
      fullAtMs.set(key, next);
    },
  };

  /** Drops many at a time: V8 skips all deleted keys to find the first one left. */
  function dropOldest() {
    let left = Math.ceil(maxKeys / 8);
    for (const key of fullAtMs.keys()) {
      fullAtMs.delete(key);
      left -= 1;
      if (left === 0) return;
    }
  }
}
