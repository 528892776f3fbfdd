import type { Cleanup } from '../support/cleanup.ts';
import { callApi } from './api.ts';
import type { EntraFacts } from './entra-process.ts';
import { type ChangingSource, startFakeProcess } from './source.ts';
import type { WorldSize } from './world.ts';

export async function startEntra(size: WorldSize, cleanup: Cleanup): Promise<ChangingSource> {
  const { facts, stop, post } = await startFakeProcess<EntraFacts>('The loopback Microsoft Graph', './entra-process.js', size, cleanup);
  const { tenant, environment } = facts;
  return {
    environment,
    stop,
    change: () => post('/change'),
    async createDirectory(api) {
      const fields = { tenant: 'bench', product: 'bench', name: 'Bench', type: 'entra', entra_tenant_id: tenant };
      return (await callApi<{ id: string }>(api, 'POST', 'directory-sync', fields)).id;
    },
  };
}
