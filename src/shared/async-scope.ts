import { AsyncLocalStorage } from 'node:async_hooks';

/** A value that is visible to all work started inside `run`, however late it runs. */
interface AsyncScope<Value> {
  run<Result>(value: Value, work: () => Result): Result;
  /** The value is visible to the rest of the caller, and to what it starts, until `leave`. */
  enter(value: Value): void;
  leave(): void;
  /** The value of the innermost `run` around the caller. */
  get(): Value | undefined;
}

interface Frame {
  scope: object;
  value: unknown;
  outer: Frame | undefined;
}

/** One storage for all scopes: Node carries each storage from promise to promise, which slows down every promise in the process. */
const frames = new AsyncLocalStorage<Frame | undefined>();

export function createAsyncScope<Value>(): AsyncScope<Value> {
  const scope: AsyncScope<Value> = {
    run: (value, work) => frames.run({ scope, value, outer: frames.getStore() }, work),
    enter: (value) => frames.enterWith({ scope, value, outer: withoutScope(frames.getStore(), scope) }),
    leave: () => frames.enterWith(withoutScope(frames.getStore(), scope)),
    get() {
      let frame = frames.getStore();
      while (frame && frame.scope !== scope) frame = frame.outer;
      return frame?.value as Value | undefined;
    },
  };
  return scope;
}

/** A caller that enters again and again must not collect frames. */
function withoutScope(frame: Frame | undefined, scope: object): Frame | undefined {
  if (!frame) return undefined;
  const outer = withoutScope(frame.outer, scope);
  if (frame.scope === scope) return outer;
  return outer === frame.outer ? frame : { ...frame, outer };
}
