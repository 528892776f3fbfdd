import { measureArrival } from './delivery/arrival.ts';
import { measureBatches } from './delivery/batches.ts';
import { measureDeadReceiver } from './delivery/dead-receiver.ts';
import { measureSlowTenant } from './delivery/slow-tenant.ts';
import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startServers } from './support/servers.ts';

const introduction = `
Webhooks to a receiver on this machine. Rollcall runs as with \`npm start\`: one process for everything, on Postgres (fsync on, default
settings) and Temporal's development server. The receiver and the writers share the machine with it.
`;

export async function measureDelivery(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const arrival = await measureArrival(servers, options, cleanup);
  const slowTenant = await measureSlowTenant(servers, options, cleanup);
  const deadReceiver = await measureDeadReceiver(servers, options, cleanup);
  const batches = await measureBatches(servers, options, cleanup);
  return { machine, options, arrival, slowTenant, deadReceiver, batches };
}
