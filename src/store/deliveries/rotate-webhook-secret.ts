import type { Knex } from 'knex';
import type { DeliveryControlStore } from '../../directory/delivery/delivery-control.ts';
import { newId } from '../../ids.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { lockEndpoint } from './lock-endpoint.ts';

/** Each active secret adds a signature to the request header. */
const maxActiveSecrets = 5;

/** The new secret becomes the directory's secret. The others also sign until they expire. */
export const createRotateWebhookSecret =
  (db: Knex, secretColumns: SecretColumns): DeliveryControlStore['rotateSecret'] =>
  (directoryId, secret, overlapMs) =>
    db.transaction(async (trx) => {
      const endpoint = await lockEndpoint(trx, directoryId);
      if (!endpoint) return undefined;
      if (endpoint.url === null) return 'no webhook';
      const endpointColumns = { directory_id: directoryId, endpoint_id: endpoint.id };
      await trx('webhook_secrets').where(endpointColumns).whereRaw('expires_at <= clock_timestamp()').delete();
      const kept = await trx('webhook_secrets')
        .where(endpointColumns)
        .orderBy('created_at', 'desc')
        .select<{ id: string; secret: string }[]>('id', 'secret');
      if (kept.some(({ secret: sealed }) => secretColumns.open(directoryId, 'webhook_secret', sealed) === secret)) return 'same';
      const previous = overlapMs === 0 ? [] : kept.slice(0, maxActiveSecrets - 1);
      await trx('webhook_secrets')
        .where(endpointColumns)
        .whereNotIn(
          'id',
          previous.map(({ id }) => id),
        )
        .delete();
      const expiring = await trx('webhook_secrets')
        .where(endpointColumns)
        .update({ expires_at: trx.raw(`least(expires_at, clock_timestamp() + ? * interval '1 millisecond')`, [overlapMs]) })
        .returning<{ expires_at: Date }[]>('expires_at');
      await trx('webhook_secrets').insert({
        ...endpointColumns,
        id: newId(),
        secret: secretColumns.seal(directoryId, 'webhook_secret', secret),
        created_at: trx.raw('clock_timestamp()'),
      });
      await trx('webhook_endpoints').where({ id: endpoint.id, directory_id: directoryId }).update({ updated_at: trx.fn.now() });
      const last = Math.max(...expiring.map(({ expires_at: at }) => at.getTime()));
      return { previousValidUntil: expiring.length > 0 ? new Date(last) : undefined };
    });
