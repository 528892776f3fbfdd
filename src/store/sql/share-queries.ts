import { createStatementScope, currentScope, type StatementScope } from './statement-scope.ts';

interface Waiter<Value> {
  key: string;
  scope: StatementScope | undefined;
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

/** If a query takes longer than this, new callers do not wait for it. */
const timeoutMs = 1_000;

/**
 * Combines calls that arrive during a query into the next query. No caller gets values that were read before its call. A query is canceled
 * when all its callers have given up.
 */
export function shareQueries<Value>(
  readMany: (keys: string[]) => Promise<Map<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const waiting: Waiter<Value>[] = [];
  let readingSinceMs: number | undefined;

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, scope: currentScope(), resolve, reject });
      if (readingSinceMs === undefined || performance.now() - readingSinceMs > timeoutMs) void readWaiting();
    });

  async function readWaiting() {
    while (waiting.length > 0) {
      const startedMs = performance.now();
      readingSinceMs = startedMs;
      await readFor(waiting.splice(0));
      if (readingSinceMs !== startedMs) return;
    }
    readingSinceMs = undefined;
  }

  async function readFor(waiters: Waiter<Value>[]) {
    const shared = createStatementScope();
    let left = waiters.length;
    const giveUp = (reason: Error) => {
      left -= 1;
      if (left === 0) shared.end(reason);
    };
    const stopListening = waiters.map(({ scope }) => scope?.onEnd(giveUp));
    try {
      const found = await shared.run(() => readMany([...new Set(waiters.map(({ key }) => key))]));
      for (const { key, resolve } of waiters) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    } finally {
      for (const stop of stopListening) stop?.();
    }
  }
}
