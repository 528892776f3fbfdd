import type { DirectoryWithHealth } from '../directories/directories.ts';
import { isAuthorized } from '../directories/directory.ts';

/** What the administrator must do next. */
export type Progress = 'waiting' | 'needs_consent' | 'syncing' | 'connected' | 'deactivated';

export function progressOf({ directory, health }: Pick<DirectoryWithHealth, 'directory' | 'health'>): Progress {
  if (directory.deactivated) return 'deactivated';
  if (!directory.connection) return health.lastPushAt ? 'connected' : 'waiting';
  if (!isAuthorized(directory.connection)) return 'needs_consent';
  return health.sync?.lastSuccessAt ? 'connected' : 'syncing';
}

export const isConnected = (found: Pick<DirectoryWithHealth, 'directory' | 'health'>): boolean => progressOf(found) === 'connected';

/** Whether the identity provider has sent a request. The use of a secret and the push are recorded separately, so either one counts. */
export const hasBeenPushedTo = ({ health }: Pick<DirectoryWithHealth, 'health'>): boolean =>
  health.lastPushAt !== undefined || health.scimSecrets.some(({ lastUsedAt }) => lastUsedAt !== undefined);

export interface RecentError {
  at: Date;
  status: number;
  detail: string;
  request: string;
}

const shownForMs = 86_400_000;

/** Whether the secret of the last request was wrong, unless that was long ago. */
export function wasSecretRejected({ directory, health }: Pick<DirectoryWithHealth, 'directory' | 'health'>, nowMs = Date.now()): boolean {
  const { secretRejectedAt, lastPushAt } = health;
  if (directory.connection || !secretRejectedAt || nowMs - secretRejectedAt.getTime() > shownForMs) return false;
  return lastPushAt === undefined || secretRejectedAt > lastPushAt;
}

/** Finds the last failed sync, or the last failed request unless it was long ago. */
export function findRecentError({ health }: Pick<DirectoryWithHealth, 'health'>, nowMs = Date.now()): RecentError | undefined {
  const { lastError, sync } = health;
  if (sync?.state === 'failed' && sync.error !== undefined) return { at: sync.at, status: 0, detail: sync.error, request: '' };
  if (!lastError || nowMs - Date.parse(lastError.at) > shownForMs) return undefined;
  const { at, status, detail, method, path } = lastError;
  // A filter may contain the name of a person.
  return { at: new Date(at), status, detail, request: `${method} ${path.replace(/\?.*$/s, '')}` };
}
