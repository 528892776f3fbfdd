import { createClient } from '../../client/index.ts';
import type { Connection } from '../connection.ts';
import { createFindings, type Finding } from './finding.ts';

const { ok, problem } = createFindings('Webhook');

/** What the service itself comes to when it sends a signed test event: its way is the one that counts. */
export async function sendTest(directoryId: string, connection: Connection, signal: AbortSignal): Promise<Finding> {
  const { data, error } = await createClient(connection).webhooks.test(directoryId, { signal, timeoutMs: 20_000 });
  if (error)
    return problem(
      `No test event could be sent for ${directoryId}: ${error.message}`,
      'Look at the checks of the service and the API key.',
    );
  if (data.outcome === 'success') return ok(`The receiver at ${data.url} took a signed test event (${data.status_code}).`);
  return problem(
    `The receiver at ${data.url} did not take a signed test event: ${data.error ?? data.outcome}`,
    'Look at the log of the receiver, and whether it verifies with the right secret.',
  );
}
