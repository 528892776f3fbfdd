import { measureArrival } from './delivery/arrival.ts';
import { measureBatches } from './delivery/batches.ts';
import { measureDeadReceiver } from './delivery/dead-receiver.ts';
import { measureSlowTenant } from './delivery/slow-tenant.ts';
import type { Closing } from './support/closing.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startServers } from './support/servers.ts';

const introduction = `
Webhooks to a receiver on this machine. Rollcall runs as with \`npm start\`: one process for everything, on Postgres (fsync on, default
settings) and Temporal's development server. The receiver and the writers share the machine with it.
`;

export async function measureDelivery(options: Options, closing: Closing): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(closing);
  const arrival = await measureArrival(servers, options, closing);
  const slowTenant = await measureSlowTenant(servers, options, closing);
  const deadReceiver = await measureDeadReceiver(servers, options, closing);
  const batches = await measureBatches(servers, options, closing);
  return { machine, options, arrival, slowTenant, deadReceiver, batches };
}
