import type { Knex } from 'knex';
import type { EndpointStatus } from '../../directory/delivery/ports.ts';

export interface LockedEndpoint {
  id: string;
  url: string | null;
  status: EndpointStatus;
  acked_sequence: number;
}

/** Whoever delivers waits, and nothing of the endpoint's changes but by us. */
export const lockEndpoint = (trx: Knex.Transaction, directoryId: string): Promise<LockedEndpoint | undefined> =>
  trx('webhook_endpoints')
    .where({ directory_id: directoryId })
    .forUpdate()
    .first<LockedEndpoint | undefined>('id', 'url', 'status', 'acked_sequence');
