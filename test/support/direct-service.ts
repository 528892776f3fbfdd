import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { startRollcall } from '../../src/library/start.ts';
import { cloneDatabase } from './database.ts';
import { apiKey, createDirectoryBy, requestApi, type TestService } from './service.ts';
import { watchResponses } from './watch-responses.ts';

export type DirectService = Pick<TestService, 'baseUrl' | 'db' | 'logs' | 'api' | 'createDirectory' | 'checkResponses' | 'stop'>;

/**
 * The HTTP API without Temporal, on a database of its own. Syncs run by the same state machine: for tests of what a sync does, not of how it is
 * executed.
 */
export async function startDirectService(settings: NodeJS.ProcessEnv = {}): Promise<DirectService> {
  const logs: Record<string, unknown>[] = [];
  const database = await cloneDatabase();
  const { rollcall } = await startRollcall({
    databaseUrl: database.url,
    encryptionKeys: [randomBytes(32).toString('base64')],
    externalUrl: 'https://rollcall.example',
    apiKeys: [apiKey],
    logLevel: 'debug',
    logTo: { write: (line: string) => void logs.push(JSON.parse(line) as Record<string, unknown>) },
    settings,
  });
  const server = createServer((request, response) => void rollcall.handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as { port: number };
  const baseUrl = `http://127.0.0.1:${address.port}`;
  const responses = watchResponses(baseUrl);
  const api = requestApi(baseUrl);
  return {
    baseUrl,
    db: database.db,
    logs,
    api,
    createDirectory: createDirectoryBy(baseUrl, api),
    checkResponses: responses.check,
    async stop() {
      server.closeAllConnections();
      server.close();
      await rollcall.stop();
      await database.drop();
      responses.forget();
      responses.check();
    },
  };
}
