import type { Knex } from 'knex';
import type { DeliveryLane, EndpointStatus } from '../../directory/delivery/ports.ts';

export interface LockedEndpoint {
  id: string;
  url: string | null;
  status: EndpointStatus;
  acked_sequence: number;
}

/** Locks the endpoint. Deliveries and other changes of the endpoint wait. */
export const lockEndpoint = (trx: Knex.Transaction, directoryId: string): Promise<LockedEndpoint | undefined> =>
  trx('webhook_endpoints')
    .where({ directory_id: directoryId })
    .forUpdate()
    .first<LockedEndpoint | undefined>('id', 'url', 'status', 'acked_sequence');

/** Locks the endpoint if the lane is still current. Returns false, without changes, if the lane was taken again. */
export const lockLane = async (trx: Knex.Transaction, { directoryId, endpointId, epoch }: DeliveryLane): Promise<boolean> =>
  (await trx('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).forUpdate().first('id')) !== undefined;
