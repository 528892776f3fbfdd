import type { Logger } from '../logger.ts';
import { createAllowances } from './allowances.ts';
import { createFailureLog } from './failure-log.ts';
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
  const sources = createAllowances({ perMinute: perSource, now });
  const directories = createAllowances({ perMinute: perDirectory, now });
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
