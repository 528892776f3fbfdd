import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { requestCancel, type CancellableConnection } from './request-cancel.ts';

/** A statement that Postgres does not cancel for so long loses its connection: others need the place. */
const maxCancellingMs = 10_000;

/**
 * Reads in a transaction that only reads, and cancels what runs in Postgres once the signal is aborted. The transaction ends, and its
 * connection goes back to the pool, after the last request to cancel has ended: the statement of whoever uses it next is never hit.
 */
export function readCancellably<Found>(db: Knex, signal: AbortSignal, read: (trx: Knex) => Promise<Found>): Promise<Found> {
  return db.transaction(
    async (trx) => {
      signal.throwIfAborted();
      const connection = (await (trx as unknown as Connected).client.acquireConnection()) as CancellableConnection;
      const running = { hasEnded: false };
      let cancelling: Promise<void> | undefined;
      const cancel = () => {
        cancelling = cancelUntilEnded(connection, running);
      };
      signal.addEventListener('abort', cancel);
      try {
        return await read(trx);
      } finally {
        running.hasEnded = true;
        signal.removeEventListener('abort', cancel);
        await cancelling;
      }
    },
    { readOnly: true },
  );
}

/** Within a transaction this is its own connection. */
interface Connected {
  client: { acquireConnection(): Promise<unknown> };
}

/** A request that arrives before the statement does, or between two, cancels nothing: so there is another one after a while. */
async function cancelUntilEnded(connection: CancellableConnection, running: { hasEnded: boolean }): Promise<void> {
  const startedMs = performance.now();
  for (let pauseMs = 20; !running.hasEnded; pauseMs = Math.min(500, pauseMs * 2)) {
    if (performance.now() - startedMs > maxCancellingMs) return connection.connection.stream.destroy();
    await requestCancel(connection);
    if (!running.hasEnded) await delay(pauseMs);
  }
}
