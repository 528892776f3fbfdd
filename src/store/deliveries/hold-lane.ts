import type { Knex } from 'knex';
import type { Lane } from '../../directory/delivery/ports.ts';

/** The fence: a lane that was taken again since finds its epoch gone, and changes nothing. */
export const holdLane = async (trx: Knex.Transaction, { directoryId, endpointId, epoch }: Lane): Promise<boolean> =>
  (await trx('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).forUpdate().first('id')) !== undefined;
