import { AppError } from '../errors.ts';

const dayMs = 86_400_000;
const defaultLifetimeMs = 365 * dayMs;
/** Three years, as Microsoft's gallery requires. */
const maxLifetimeDays = 1_096;

/** When a credential of a directory expires if its creator does not say. */
export const defaultExpiry = (nowMs: number): Date => new Date(nowMs + defaultLifetimeMs);

export function assertLifetime(expiresAt: Date, nowMs: number): void {
  if (expiresAt.getTime() > nowMs + maxLifetimeDays * dayMs)
    throw new AppError('invalid_request', 'expires_at may be at most three years from now.', { field: 'expires_at' });
}
