import { setTimeout as delay } from 'node:timers/promises';
import { createAsyncScope } from '../../shared/async-scope.ts';
import { requestCancel, type CancellableConnection } from './request-cancel.ts';

/** Work whose statements end together: what runs is cancelled in Postgres, and nothing more is sent. */
export interface StatementScope {
  /** Runs the work in the scope. Rejects with the reason as soon as the scope ends; its statements are cancelled meanwhile. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  end(reason: Error): void;
  /** Returns what stops listening. */
  onEnd(listener: (reason: Error) => void): () => void;
}

interface State {
  reason: Error | undefined;
  listeners: Set<(reason: Error) => void>;
}

const scopes = createAsyncScope<State>();
/** A statement that Postgres does not cancel for so long loses its connection: others need the place. */
const maxCancellingMs = 10_000;

export const createStatementScope = (): StatementScope => toScope({ reason: undefined, listeners: new Set() });

/** The scope in which this runs, if there is one. */
export function currentScope(): StatementScope | undefined {
  const state = scopes.get();
  return state && toScope(state);
}

const toScope = (state: State): StatementScope => ({
  run: (work) =>
    new Promise((resolve, reject) => {
      // A connection that is opened in here keeps the scope while it is open. It must not keep the result, too.
      const unlink = () => void state.listeners.delete(reject);
      state.listeners.add(reject);
      // What knex builds is sent when it is awaited: in here too.
      const working = scopes.run(state, async () => work());
      working.then(unlink, unlink);
      working.then(resolve, reject);
    }),
  end(reason) {
    if (state.reason) return;
    state.reason = reason;
    for (const listener of state.listeners) listener(reason);
  },
  onEnd(listener) {
    state.listeners.add(listener);
    return () => void state.listeners.delete(listener);
  },
});

/** As knex asks it. */
type Query = (config: { text: string }, callback: (error: unknown, result?: unknown) => void) => unknown;
interface WatchedConnection extends CancellableConnection {
  query: Query;
  connection: { stream: { destroy(): void } };
}

/**
 * Has the statements of a connection end with the scope in which they are sent. A cancelled statement is over, for whoever waits for its
 * connection, when the last request to cancel it is: the statement of whoever uses the connection next is never hit.
 */
export function watchStatements(connection: WatchedConnection): void {
  const query = connection.query.bind(connection);
  connection.query = (config, callback, ...rest) => {
    const scope = scopes.get();
    // A transaction always ends in its own way.
    if (!scope || typeof callback !== 'function' || /^(commit|rollback)/i.test(config.text)) return query(config, callback, ...rest);
    if (scope.reason) return process.nextTick(callback, new Error('Nobody waits for this statement any more.'));
    const running: Running = { hasEnded: false, isCancelling: false };
    const cancel = () => void cancelUntilEnded(connection, running);
    scope.listeners.add(cancel);
    return query(config, (error, result) => {
      scope.listeners.delete(cancel);
      running.hasEnded = true;
      const hand = () => callback(error, result);
      if (running.isCancelling) running.afterCancelling = hand;
      else hand();
    });
  };
}

interface Running {
  hasEnded: boolean;
  isCancelling: boolean;
  afterCancelling?: () => void;
}

/** A request that arrives before the statement does cancels nothing: so there is another one after a while. */
async function cancelUntilEnded(connection: WatchedConnection, running: Running): Promise<void> {
  const startedMs = performance.now();
  running.isCancelling = true;
  for (let pauseMs = 20, isInTime = true; isInTime && !running.hasEnded; pauseMs = Math.min(500, pauseMs * 2)) {
    isInTime = (await requestCancel(connection)) && performance.now() - startedMs < maxCancellingMs;
    if (!isInTime) connection.connection.stream.destroy();
    else if (!running.hasEnded) await delay(pauseMs);
  }
  running.isCancelling = false;
  running.afterCancelling?.();
}
