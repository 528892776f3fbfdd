import type { Knex } from 'knex';
import type { Webhook } from '../../directory/directories/directory.ts';
import { newId } from '../../ids.ts';
import { type SecretColumns, toAddressColumns } from '../encryption/secret-columns.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';

export interface SetWebhookDeps {
  trx: Knex.Transaction;
  secrets: SecretColumns;
  emitOperatorEvent: EmitOperatorEvent;
}

/**
 * Changes the webhook. The change may fix a failure: the open batch becomes due immediately and its retry schedule starts over, and a
 * misconfigured endpoint becomes active again. The caller wakes the delivery.
 */
export async function setWebhook({ trx, secrets, emitOperatorEvent }: SetWebhookDeps, directoryId: string, webhook: Webhook | null) {
  const endpoint = await trx('webhook_endpoints')
    .where({ directory_id: directoryId })
    .forUpdate()
    .first<{ id: string; status: string } | undefined>('id', 'status');
  if (!endpoint) return;
  const isFixed = webhook?.url !== undefined && endpoint.status === 'misconfigured';
  await trx('webhook_endpoints')
    .where({ directory_id: directoryId })
    .update({
      ...(webhook?.url === undefined ? { url: null, sealed_url: null } : toAddressColumns(secrets, directoryId, webhook.url)),
      updated_at: trx.fn.now(),
      ...(isFixed && { status: 'active', status_reason: null, first_failure_at: null, starts: 0 }),
    });
  if (isFixed) await emitOperatorEvent(trx, 'dsync.webhook_enabled', directoryId);
  await setWebhookSecret(trx, secrets, { directoryId, endpointId: endpoint.id, secret: webhook?.secret });
  if (webhook?.url === undefined) return;
  await trx('webhook_batches')
    .where({ directory_id: directoryId, status: 'pending' })
    .update({ next_attempt_at: trx.fn.now(), failures: 0 });
}

/** A new secret replaces all others immediately. The current secret keeps the others, which may still be valid after a rotation. */
async function setWebhookSecret(
  trx: Knex.Transaction,
  secrets: SecretColumns,
  { directoryId, endpointId, secret }: { directoryId: string; endpointId: string; secret: string | undefined },
): Promise<void> {
  const newest = await trx('webhook_secrets')
    .where({ directory_id: directoryId, endpoint_id: endpointId })
    .orderBy('created_at', 'desc')
    .first<{ secret: string } | undefined>('secret');
  if (newest && secrets.open(directoryId, 'webhook_secret', newest.secret) === secret) return;
  await trx('webhook_secrets').where({ directory_id: directoryId }).delete();
  if (secret === undefined) return;
  await trx('webhook_secrets').insert({
    id: newId(),
    directory_id: directoryId,
    endpoint_id: endpointId,
    secret: secrets.seal(directoryId, 'webhook_secret', secret),
    created_at: trx.raw('clock_timestamp()'),
  });
}
