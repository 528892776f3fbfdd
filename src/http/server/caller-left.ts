import type { Context } from 'koa';
import type { Caller } from '../../directory/ports.ts';
import { AppError } from '../../errors.ts';

type Response = Context['res'];

const signals = new WeakMap<Response, AbortSignal>();
const left = new WeakSet<Response>();

/** Whether the caller went away before it was answered, as far as anybody has asked for the signal. */
export const hasLeft = ({ res }: Context): boolean => left.has(res);

/** For work in steps that nobody needs without the caller. Knows of a connection that ended a moment before the signal does. */
export function throwIfLeft({ req, res }: Context): void {
  if (!res.destroyed && !req.socket.readableEnded) return;
  left.add(res);
  throw callerLeft();
}

export const callerOf = (ctx: Context): Caller => ({
  throwIfLeft: () => throwIfLeft(ctx),

  onLeave(listener) {
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

/** Aborted once the caller has gone away. Made when it is first asked for: most requests need none. */
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
