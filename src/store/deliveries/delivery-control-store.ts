import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { DeliveryControlStore, RetryError, TestTarget } from '../../directory/delivery/delivery-control.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { type AddressColumns, type SecretColumns, openAddress } from '../encryption/secret-columns.ts';
import { readDeliveryState } from './delivery-state.ts';
import { type LockedEndpoint, lockEndpoint } from './lock-endpoint.ts';
import { recordAct } from '../audit/record-act.ts';
import { newId } from '../../ids.ts';
import { toDeliveryId } from '../../directory/delivery/delivery-log.ts';

interface DeliveryControlStoreDeps {
  db: Knex;
  secretColumns: SecretColumns;
  emitOperatorEvent: EmitOperatorEvent;
}

export const createDeliveryControlStore = ({ db, secretColumns, emitOperatorEvent }: DeliveryControlStoreDeps): DeliveryControlStore => ({
  state: (directoryId) => readDeliveryState(db, secretColumns, directoryId),
  pause: pause(db),
  resume: createResume(db, emitOperatorEvent),
  makeDue: makeDue(db),
  testTarget: createTestTarget(db, secretColumns),
  rotateSecret: createRotateWebhookSecret(db, secretColumns),
});

const pause =
  (db: Knex): DeliveryControlStore['pause'] =>
  (directoryId) =>
    db.transaction(async (trx) => {
      const paused = await trx('webhook_endpoints')
        .where({ directory_id: directoryId })
        .update({
          status: trx.raw(`case when status = 'disabled' then status else 'paused' end`),
          status_reason: trx.raw(`case when status = 'disabled' then status_reason else 'Paused through the API.' end`),
          updated_at: trx.raw('clock_timestamp()'),
        });
      if (paused === 0) return 'gone';
      await recordAct(trx, { action: 'delivery.paused', directory: { id: directoryId } });
      return 'paused';
    });

/** The first delivery that is not settled. All later events wait for it. */
interface Head {
  id: string;
  status: 'pending' | 'exhausted';
  to_sequence: number;
}

const createResume =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent): DeliveryControlStore['resume'] =>
  (directoryId, from) =>
    db.transaction(async (trx) => {
      // Locks in the same order as changes and deliveries do. No event can be written while events are skipped.
      const directory = await trx('directories')
        .where({ id: directoryId })
        .forNoKeyUpdate()
        .first<{ last_sequence: number } | undefined>('last_sequence');
      const endpoint = directory && (await lockEndpoint(trx, directoryId));
      if (!endpoint) return 'gone';
      if (endpoint.status === 'active') return 'active';
      const head = await trx('webhook_batches')
        .where({ directory_id: directoryId, endpoint_id: endpoint.id, kind: 'live' })
        .whereIn('status', ['pending', 'exhausted'])
        .where('from_sequence', '>', endpoint.acked_sequence)
        .first<Head | undefined>('id', 'status', 'to_sequence');
      const hasGivenUp = endpoint.status !== 'paused' || head?.status === 'exhausted';
      if (hasGivenUp && from === undefined) return 'choose';
      if (from === 'now') await skipEvents(trx, { directoryId, endpoint, head, lastSequence: directory.last_sequence });
      else if (head) await reopen(trx, directoryId, head);
      const now = trx.raw('clock_timestamp()');
      await trx('webhook_endpoints')
        .where({ directory_id: directoryId, id: endpoint.id })
        // The flag stays set until a delivery runs, so that maintenance starts one if nothing else does.
        .update({ status: 'active', status_reason: null, first_failure_at: null, starts: 0, wake: true, wake_at: now, updated_at: now });
      if (endpoint.status !== 'paused') await emitOperatorEvent(trx, 'dsync.webhook_enabled', directoryId);
      await recordAct(trx, {
        action: 'delivery.resumed',
        directory: { id: directoryId },
        changes: { status: { from: endpoint.status, to: 'active' }, resumed_from: from ?? 'backlog' },
      });
      return 'resumed';
    });

const reopen = (trx: Knex.Transaction, directoryId: string, { id }: Head) =>
  trx('webhook_batches')
    .where({ directory_id: directoryId, id })
    .update({ status: 'pending', failures: 0, client_errors: 0, next_attempt_at: trx.raw('clock_timestamp()'), done_at: null });

interface SkipRequest {
  directoryId: string;
  endpoint: LockedEndpoint;
  head: Head | undefined;
  lastSequence: number;
}

/** Records the skipped events as a delivery with status `skipped` and keeps their bodies for a replay. */
async function skipEvents(trx: Knex.Transaction, { directoryId, endpoint, head, lastSequence }: SkipRequest): Promise<void> {
  const now = trx.raw('clock_timestamp()');
  if (head) {
    await trx('webhook_batches')
      .where({ directory_id: directoryId, id: head.id })
      .update({ status: 'skipped', done_at: now, body: trx.raw('case when logged then body end') });
    await trx('webhook_attempts')
      .where({ directory_id: directoryId, batch_id: head.id, outcome: 'in_flight' })
      .update({ outcome: 'aborted', ended_at: now, error: 'It was skipped before the response arrived.' });
  }
  const first = (head?.to_sequence ?? endpoint.acked_sequence) + 1;
  if (first <= lastSequence)
    await trx('webhook_batches').insert({
      id: toDeliveryId(`${endpoint.id}:${first}:${lastSequence}:skipped`),
      directory_id: directoryId,
      endpoint_id: endpoint.id,
      from_sequence: first,
      to_sequence: lastSequence,
      event_count: lastSequence - first + 1,
      bytes: 0,
      sha256: sha256OfNothing,
      status: 'skipped',
      created_at: now,
      done_at: now,
    });
  // The new epoch stops a delivery that still uses the old cursor.
  await trx('webhook_endpoints')
    .where({ directory_id: directoryId, id: endpoint.id })
    .update({ acked_sequence: lastSequence, epoch: trx.raw('epoch + 1'), batch_limit: null });
}

const sha256OfNothing = createHash('sha256').digest('hex');

const makeDue =
  (db: Knex): DeliveryControlStore['makeDue'] =>
  (directoryId, deliveryId) =>
    db.transaction(async (trx): Promise<'due' | RetryError | undefined> => {
      const endpoint = await lockEndpoint(trx, directoryId);
      const delivery = await trx('webhook_batches')
        .where({ directory_id: directoryId, id: deliveryId })
        .first<{ status: string; kind: string; replay_id: string | null } | undefined>('status', 'kind', 'replay_id');
      if (!endpoint || !delivery) return undefined;
      if (delivery.status !== 'pending' && delivery.status !== 'exhausted') return 'settled';
      if (endpoint.status !== 'active' || endpoint.url === null) return 'inactive';
      const now = trx.raw('clock_timestamp()');
      if (delivery.status === 'exhausted' && delivery.replay_id !== null) {
        const running = await trx('webhook_replays')
          .where({ directory_id: directoryId, endpoint_id: endpoint.id, status: 'running' })
          .first('id');
        if (running) return 'busy';
        await trx('webhook_replays')
          .where({ directory_id: directoryId, id: delivery.replay_id })
          .update({ status: 'running', status_reason: null, finished_at: null });
      }
      await trx('webhook_batches')
        .where({ directory_id: directoryId, id: deliveryId })
        .update({
          next_attempt_at: now,
          // The attempt is one more, and uses up no step of the schedule.
          failures: trx.raw('case when next_attempt_at > clock_timestamp() then greatest(failures - 1, 0) else failures end'),
          ...(delivery.status === 'exhausted' && { status: 'pending', failures: 0, client_errors: 0, done_at: null }),
        });
      await recordAct(trx, {
        action: 'delivery.retried',
        directory: { id: directoryId },
        targets: [{ type: 'delivery', id: deliveryId }],
      });
      return 'due';
    });

const createTestTarget =
  (db: Knex, secretColumns: SecretColumns): DeliveryControlStore['testTarget'] =>
  async (directoryId) => {
    const { rows } = await db.raw<{
      rows: (AddressColumns & {
        tenant: string;
        product: string;
        legacy_signatures: boolean | null;
        secrets: [id: string, sealed: string][] | null;
      })[];
    }>(
      `select d.tenant, d.product, e.url, e.sealed_url, e.legacy_signatures,
         (select json_agg(json_build_array(id, secret) order by created_at desc) from webhook_secrets s
          where s.directory_id = :directoryId and s.endpoint_id = e.id and (s.expires_at is null or s.expires_at > clock_timestamp())) as secrets
       from directories d join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId`,
      { directoryId },
    );
    const [row] = rows;
    if (!row) return undefined;
    const url = openAddress(secretColumns, directoryId, row);
    if (url === null) return 'no webhook';
    return {
      directory: { id: directoryId, tenant: row.tenant, product: row.product },
      url,
      secrets: (row.secrets ?? []).map(([id, sealed]) => ({ id, secret: secretColumns.open(directoryId, 'webhook_secret', sealed) })),
      legacySignatures: row.legacy_signatures ?? undefined,
    } satisfies TestTarget;
  };

/** Each active secret adds a signature to the request header. */
const maxActiveSecrets = 5;

/** The new secret becomes the directory's secret. The others also sign until they expire. */
const createRotateWebhookSecret =
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
      await recordAct(trx, {
        action: 'webhook.secret_rotated',
        directory: { id: directoryId },
        changes: { webhook_secret: { changed: true }, overlap_seconds: overlapMs / 1_000 },
      });
      const last = Math.max(...expiring.map(({ expires_at: at }) => at.getTime()));
      return { previousValidUntil: expiring.length > 0 ? new Date(last) : undefined };
    });
