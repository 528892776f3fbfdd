import type { Closing } from '../support/closing.ts';
import type { Servers } from '../support/servers.ts';
import { rollcallCommand, startService, type Service } from '../support/service.ts';
import { prepareRollcall, type RollcallEnvironment } from '../support/sides.ts';

export interface DeliveringRollcall extends Service {
  apiKey: string;
  environment: RollcallEnvironment;
}

/** Everything in one process, on a database of its own. */
export async function startDelivering(
  servers: Servers,
  closing: Closing,
  { name, ...more }: { name: string } & Record<string, string>,
): Promise<DeliveringRollcall> {
  const environment: RollcallEnvironment = {
    ...(await prepareRollcall(servers, `rollcall_${name}`)),
    TEMPORAL_NAMESPACE: await servers.createNamespace(name.replaceAll('_', '-')),
    ...more,
  };
  const service = await startService({ name: 'Rollcall', command: rollcallCommand('start'), environment }, closing);
  return { ...service, apiKey: environment['API_KEYS']!, environment };
}
