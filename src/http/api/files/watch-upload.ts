import type { Context } from 'koa';
import { AppError } from '../../../errors.ts';
import { allowLongUpload } from '../../server/connections/long-uploads.ts';

interface UploadTimes {
  /** Between two chunks that the sender is waited for. */
  idleMs: number;
  /** Of the whole request. */
  totalMs: number;
  /** From then on, the sender must have been this fast on average. */
  graceMs: number;
  minBytesPerSecond: number;
}

const defaultTimes: UploadTimes = { idleMs: 30_000, totalMs: 15 * 60_000, graceMs: 60_000, minBytesPerSecond: 4_096 };
const checksPerIdle = 6;

/** Ends an upload whose sender is too slow. The time that Rollcall takes itself, while the request is paused, is not idle. */
export function watchUpload(ctx: Context, onTooSlow: (error: AppError) => void, times: UploadTimes = defaultTimes) {
  const { idleMs, totalMs, graceMs, minBytesPerSecond } = times;
  const endAllowance = allowLongUpload(ctx.req.socket);
  const startedMs = performance.now();
  let lastMs = startedMs;
  let bytes = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    if (ctx.req.isPaused()) lastMs = now;
    const elapsedMs = now - startedMs;
    const isSlow = elapsedMs > graceMs && !ctx.req.readableEnded && bytes < (elapsedMs / 1_000) * minBytesPerSecond && !ctx.req.isPaused();
    if (now - lastMs < idleMs && elapsedMs < totalMs && !isSlow) return;
    clearInterval(timer);
    if (ctx.req.readableEnded && elapsedMs < totalMs) return;
    if (!ctx.res.headersSent) ctx.set('Connection', 'close');
    onTooSlow(
      elapsedMs >= totalMs
        ? new AppError('invalid_request', `The upload took more than ${totalMs / 60_000} minutes (fixed limit). Nothing was changed.`)
        : new AppError('invalid_request', 'The files arrived too slowly. Nothing was changed: send them again over a faster connection.'),
    );
  }, idleMs / checksPerIdle);
  return {
    note(length: number) {
      bytes += length;
      lastMs = performance.now();
    },
    end() {
      clearInterval(timer);
      endAllowance();
    },
  };
}
