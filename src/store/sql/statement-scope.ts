import { setTimeout as delay } from 'node:timers/promises';
import { createAsyncScope } from '../../shared/async-scope.ts';
import pg from 'pg';

/** Ends all statements of some work together: running ones are canceled in Postgres, and no more are sent. */
export interface StatementScope {
  /** Runs the work in the scope. Rejects with the reason when the scope ends, without waiting for the cancellations. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  end(reason: Error): void;
  /** Calls the listener at once if the scope has ended. Returns a function that removes it. */
  onEnd(listener: (reason: Error) => void): () => void;
}

interface State {
  reason: Error | undefined;
  listeners: Set<(reason: Error) => void>;
}

const scopes = createAsyncScope<State | undefined>();
/** If Postgres does not cancel a statement in this time, its connection is closed to free its place in the pool. */
const maxCancellingMs = 10_000;

export const createStatementScope = (): StatementScope => toScope({ reason: undefined, listeners: new Set() });

/** The scope of the calling code, if there is one. */
export function currentScope(): StatementScope | undefined {
  const state = scopes.get();
  return state && toScope(state);
}

const toScope = (state: State): StatementScope => ({
  run: (work) =>
    new Promise((resolve, reject) => {
      // A connection that is opened here keeps the scope as long as it is open. It must not keep the result as well.
      const unlink = () => void state.listeners.delete(reject);
      state.listeners.add(reject);
      // Knex sends a query when it is awaited, so the await must also run in the scope.
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
    if (state.reason) listener(state.reason);
    else state.listeners.add(listener);
    return () => void state.listeners.delete(listener);
  },
});

/** Runs the work, and cancels its statements if it takes longer. It then rejects with the error, as `toError` translates it. */
export async function cancelAfter<Result>(
  timeoutMs: number,
  work: () => Promise<Result>,
  toError: (late: Error) => Error = (late) => late,
): Promise<Result> {
  const scope = createStatementScope();
  const timer = setTimeout(() => scope.end(toError(new Error(`no response within ${timeoutMs} ms`))), timeoutMs);
  const unlink = currentScope()?.onEnd(scope.end);
  try {
    return await scope.run(work);
  } finally {
    clearTimeout(timer);
    unlink?.();
  }
}

/** Runs work whose statements end when the signal is aborted. Then it rejects with the reason. */
export async function runUntilAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const scope = createStatementScope();
  const end = () => scope.end(signal.reason as Error);
  signal.addEventListener('abort', end);
  try {
    return await scope.run(work);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Runs work that must not end with the scope of its caller, because it serves others too or goes on in the background. */
export const runDetached = <Result>(work: () => Result): Result => scopes.run(undefined, work);

/** The signature that knex uses. */
type Query = (config: { text: string }, callback: (error: unknown, result?: unknown) => void) => unknown;
interface WatchedConnection extends CancellableConnection {
  query: Query;
  connection: { stream: { destroy(): void } };
}

/**
 * Ends the statements of a connection with the scope in which they were sent. A canceled statement returns only after its last cancel
 * request has finished, so that the request cannot hit the next statement on the connection.
 */
export function watchStatements(connection: WatchedConnection): void {
  const query = connection.query.bind(connection);
  connection.query = (config, callback, ...rest) => {
    const scope = scopes.get();
    // A transaction must always be able to end.
    if (!scope || typeof callback !== 'function' || /^(commit|rollback)/i.test(config.text)) return query(config, callback, ...rest);
    if (scope.reason) return process.nextTick(callback, new Error('The caller no longer waits for this statement.'));
    const running: Running = { hasEnded: false, isCancelling: false };
    const cancel = () => void cancelUntilEnded(connection, running);
    scope.listeners.add(cancel);
    return query(config, (error, result) => {
      scope.listeners.delete(cancel);
      running.hasEnded = true;
      const finish = () => callback(error, result);
      if (running.isCancelling) running.afterCancelling = finish;
      else finish();
    });
  };
}

interface Running {
  hasEnded: boolean;
  isCancelling: boolean;
  afterCancelling?: () => void;
}

/** A cancel request that arrives before the statement has no effect, so requests are repeated. */
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

/** What Postgres needs to know about a connection to cancel its statement. */
interface CancellableConnection {
  host: string;
  port: number;
  ssl: pg.ConnectionConfig['ssl'];
  processID: number;
  secretKey: number;
}

/** Protocol messages that the types of `pg` omit. */
type WireConnection = pg.Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

const timeoutMs = 2_000;

/**
 * Asks Postgres, over a new connection, to cancel the statement of another connection. Postgres closes the new connection after it has sent
 * the signal, so statements sent after this resolves are safe. Resolves with false if the request was sent and may still arrive later: then
 * the other connection must not be used again. Never rejects.
 */
function requestCancel({ host, port, ssl, processID, secretKey }: CancellableConnection): Promise<boolean> {
  const wire = new pg.Connection({ ssl }) as WireConnection;
  let isSent = false;
  return new Promise((resolve) => {
    const end = (isOver: boolean) => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve(isOver);
    };
    const timer = setTimeout(() => end(!isSent), timeoutMs);
    const cancel = () => {
      isSent = true;
      wire.cancel(processID, secretKey);
    };
    wire.on('error', () => end(!isSent));
    wire.on('end', () => end(true));
    wire.on('connect', () => (ssl ? wire.requestSsl() : cancel()));
    wire.on('sslconnect', cancel);
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}
