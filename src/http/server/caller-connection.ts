import type { Context } from 'koa';
import type { Caller } from '../../directory/ports.ts';
import { AppError } from '../../errors.ts';

type Response = Context['res'];

const signals = new WeakMap<Response, AbortSignal>();
const left = new WeakSet<Response>();

/** Whether the caller left before the response, as far as one of the functions below was used. */
export const hasDisconnected = ({ res }: Context): boolean => left.has(res);

/** For work in steps that is useless without the caller. Notices an ended connection a moment before the signal. */
export function throwIfDisconnected({ req, res }: Context): void {
  if (!res.destroyed && !req.socket.readableEnded) return;
  left.add(res);
  throw callerLeft();
}

export const callerOf = (ctx: Context): Caller => ({
  throwIfDisconnected: () => throwIfDisconnected(ctx),

  onDisconnect(listener) {
    const { res } = ctx;
    const leave = () => {
      if (res.writableEnded) return;
      left.add(res);
      listener(callerLeft());
    };
    res.once('close', leave);
    return () => void res.off('close', leave);
  },
});

/** Aborted when the caller leaves. It is created on first use. */
export function signalOf({ res }: Context): AbortSignal {
  const known = signals.get(res);
  if (known) return known;
  const controller = new AbortController();
  signals.set(res, controller.signal);
  const leave = () => {
    if (res.writableEnded) return;
    left.add(res);
    controller.abort(callerLeft());
  };
  if (res.destroyed || res.closed) leave();
  else res.once('close', leave);
  return controller.signal;
}

const callerLeft = () => new AppError('unavailable', 'The caller has left.');
