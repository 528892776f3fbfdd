import { AsyncLocalStorage } from 'node:async_hooks';

/** A value that everything sees which is called, however late, by the work that runs in it. */
export interface AsyncScope<Value> {
  run<Result>(value: Value, work: () => Result): Result;
  /** The value of the innermost `run` around the caller. */
  get(): Value | undefined;
}

interface Frame {
  scope: object;
  value: unknown;
  outer: Frame | undefined;
}

/** One for all scopes: Node carries each storage from promise to promise, which costs every promise in the process. */
const frames = new AsyncLocalStorage<Frame>();

export function createAsyncScope<Value>(): AsyncScope<Value> {
  const scope: AsyncScope<Value> = {
    run: (value, work) => frames.run({ scope, value, outer: frames.getStore() }, work),
    get() {
      let frame = frames.getStore();
      while (frame && frame.scope !== scope) frame = frame.outer;
      return frame?.value as Value | undefined;
    },
  };
  return scope;
}
