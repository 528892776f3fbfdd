import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';

const attempts = 3;
const betweenMs = 200;
const answerWithinMs = 5_000;

/**
 * Whether the server at this address has to be restarted. The SQLite driver of released servers does not end a query that is given up after
 * its first row, and every later query fails as interrupted, until the process ends. A server that is slow or away is left alone.
 */
export async function findDatabaseFault(address: string): Promise<string | undefined> {
  // Without the interceptors that try again.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    for (let attempt = 1; ; attempt += 1) {
      const error = await askForNamespace(connection);
      if (error === undefined || !/\binterrupted \(9\)/.test(error)) return undefined;
      if (attempt === attempts) return `its database answers nothing any more (${error}).`;
      await delay(betweenMs);
    }
  } finally {
    await connection.close();
  }
}

/** Returns the error. */
async function askForNamespace(connection: Connection): Promise<string | undefined> {
  try {
    await connection.withDeadline(Date.now() + answerWithinMs, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
