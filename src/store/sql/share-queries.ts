import { createStatementScope, currentScope, type StatementScope } from './statement-scope.ts';

interface Asked<Value> {
  key: string;
  scope: StatementScope | undefined;
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

/** A query that takes longer than this may never end: those who ask then do not wait for it. */
const patienceMs = 1_000;

/**
 * Answers with one query all who ask while another is under way. Nobody gets what was read before he asked. The query is cancelled once
 * all whom it is for have given up.
 */
export function shareQueries<Value>(
  readMany: (keys: string[]) => Promise<Map<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const waiting: Asked<Value>[] = [];
  let readingSinceMs: number | undefined;

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, scope: currentScope(), resolve, reject });
      if (readingSinceMs === undefined || performance.now() - readingSinceMs > patienceMs) void readWaiting();
    });

  async function readWaiting() {
    while (waiting.length > 0) {
      const startedMs = performance.now();
      readingSinceMs = startedMs;
      await answer(waiting.splice(0));
      if (readingSinceMs !== startedMs) return;
    }
    readingSinceMs = undefined;
  }

  async function answer(asked: Asked<Value>[]) {
    const shared = createStatementScope();
    let left = asked.length;
    const leave = (reason: Error) => {
      left -= 1;
      if (left === 0) shared.end(reason);
    };
    const stopListening = asked.map(({ scope }) => scope?.onEnd(leave));
    try {
      const found = await shared.run(() => readMany([...new Set(asked.map(({ key }) => key))]));
      for (const { key, resolve } of asked) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      for (const stop of stopListening) stop?.();
    }
  }
}
