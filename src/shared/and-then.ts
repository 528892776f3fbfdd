/** Calls the function with the value: at once if it is known, or when it resolves. Code that promises dominate saves them this way. */
export const andThen = <Value, Result>(
  value: Value | Promise<Value>,
  call: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> => (isPending(value) ? value.then(call) : call(value));

/** Whether a value must be awaited: a promise, or a statement of Knex. */
export const isPending = <Value>(value: Value | Promise<Value>): value is Promise<Value> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
