import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { toEventPayload, type EventType } from '../directory/event.ts';
import type { Batch, DeliveryStore, Lane } from '../directory/ports.ts';
import type { SecretColumns } from './secret-columns.ts';

interface EndpointRow {
  id: string;
  directory_id: string;
  url: string | null;
  status: string;
  acked_sequence: number;
  epoch: number;
}
interface HeadRow {
  id: string;
  body: string;
  to_sequence: number;
  attempts: number;
  failures: number;
  retry_in_ms: number;
}

export function createDeliveryStore(db: Knex, secretColumns: SecretColumns): DeliveryStore {
  return {
    takeLane: (directoryId) =>
      db.transaction(async (trx) => {
        const endpoint = await trx<EndpointRow>('webhook_endpoints').where({ directory_id: directoryId }).forUpdate().first();
        if (!endpoint) return 'gone';
        const head = await openHead(trx, { directoryId, endpointId: endpoint.id });
        const asleep = !isAddressed(endpoint) ? 'unaddressed' : head && head.retry_in_ms > 0 ? { retryInMs: head.retry_in_ms } : undefined;
        const epoch = endpoint.epoch + 1;
        await trx('webhook_endpoints')
          .where({ directory_id: directoryId, id: endpoint.id })
          .update({ epoch, ...(!asleep && { wake: false }) });
        return asleep ?? { lane: { directoryId, endpointId: endpoint.id, epoch } };
      }),

    startAttempt: (lane) =>
      db.transaction(async (trx) => {
        const endpoint = await holdLane(trx, lane);
        if (!endpoint) return 'superseded';
        if (!isAddressed(endpoint)) return 'unaddressed';
        const head = (await openHead(trx, lane)) ?? (await freezeNext(trx, lane, endpoint.acked_sequence));
        if (!head) return 'drained';
        if (head.retry_in_ms > 0) return { retryInMs: head.retry_in_ms };
        const number = head.attempts + 1;
        await recordAttempt(trx, lane, { batchId: head.id, number, url: endpoint.url });
        const sealed = await trx('webhook_secrets')
          .where({ directory_id: lane.directoryId, endpoint_id: lane.endpointId })
          .orderBy('created_at', 'desc')
          .pluck<string[]>('secret');
        return {
          batch: { ...lane, id: head.id, body: head.body, toSequence: head.to_sequence },
          number,
          failures: head.failures,
          url: endpoint.url,
          secrets: sealed.map((secret) => secretColumns.open(lane.directoryId, 'webhook_secret', secret)),
        };
      }),

    finishAttempt: (lane, { batch, number }, { outcome, statusCode, error }, retryDelayMs) =>
      db.transaction(async (trx) => {
        if (!(await holdLane(trx, lane))) return 'superseded';
        const { directoryId, endpointId } = lane;
        const at = trx.raw('clock_timestamp()');
        await trx('webhook_attempts')
          .where({ directory_id: directoryId, batch_id: batch.id, number })
          .update({ outcome, status_code: statusCode ?? null, error: error ?? null, ended_at: at });
        const delivered = outcome === 'success';
        await trx('webhook_batches')
          .where({ directory_id: directoryId, id: batch.id })
          .update(
            delivered
              ? { status: 'delivered', done_at: at, body: null }
              : {
                  next_attempt_at: trx.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [retryDelayMs]),
                  failures: trx.raw('failures + ?', [outcome === 'aborted' ? 0 : 1]),
                },
          );
        // Our own stopping says nothing of the endpoint.
        if (outcome === 'aborted') return 'kept';
        await trx('webhook_endpoints')
          .where({ directory_id: directoryId, id: endpointId })
          .update(
            delivered
              ? { acked_sequence: batch.toSequence, last_success_at: at, first_failure_at: null }
              : { first_failure_at: trx.raw('coalesce(first_failure_at, clock_timestamp())') },
          );
        return 'kept';
      }),

    async findForgotten(limit) {
      const { rows } = await db.raw<{ rows: { directory_id: string }[] }>(
        `update webhook_endpoints set wake_at = clock_timestamp()
         where id in (
           select e.id from webhook_endpoints e
             join directories d on d.id = e.directory_id and d.last_sequence > e.acked_sequence
             left join webhook_batches b on b.endpoint_id = e.id and b.status = 'pending' and b.kind = 'live'
           where e.url is not null and e.status = 'enabled'
             and greatest(e.wake_at, e.updated_at, b.next_attempt_at) < clock_timestamp() - interval '30 seconds'
           limit ? for update of e skip locked)
         returning directory_id`,
        [limit],
      );
      return rows.map((row) => row.directory_id);
    },
  };
}

const isAddressed = (endpoint: EndpointRow): endpoint is EndpointRow & { url: string } =>
  endpoint.url !== null && endpoint.status === 'enabled';

/** The fence: a lane that was taken again since finds its epoch gone, and changes nothing. */
const holdLane = (trx: Knex.Transaction, { directoryId, endpointId, epoch }: Lane) =>
  trx<EndpointRow>('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).forUpdate().first();

const openHead = (trx: Knex.Transaction, { directoryId, endpointId }: Omit<Lane, 'epoch'>) =>
  trx('webhook_batches')
    .where({ directory_id: directoryId, endpoint_id: endpointId, status: 'pending', kind: 'live' })
    .first<HeadRow | undefined>(
      'id',
      'body',
      'to_sequence',
      'attempts',
      'failures',
      trx.raw('ceil(extract(epoch from next_attempt_at - clock_timestamp()) * 1000)::float8 as retry_in_ms'),
    );

async function freezeNext(trx: Knex.Transaction, lane: Lane, ackedSequence: number): Promise<HeadRow | undefined> {
  const event = await trx('events as e')
    .join('directories as d', 'd.id', 'e.directory_id')
    .where('e.directory_id', lane.directoryId)
    .where('e.sequence', '>', ackedSequence)
    .orderBy('e.sequence')
    .first<EventRow | undefined>('e.sequence', 'e.id', 'e.type', 'e.data', 'e.occurred_at', 'd.tenant', 'd.product');
  if (!event) return undefined;
  const body = JSON.stringify(
    toEventPayload(
      { id: lane.directoryId, tenant: event.tenant, product: event.product },
      { id: event.id, sequence: event.sequence, type: event.type, data: event.data, occurredAt: event.occurred_at },
    ),
  );
  const id = batchId(lane, event.sequence, event.sequence);
  await trx('webhook_batches').insert({
    id,
    directory_id: lane.directoryId,
    endpoint_id: lane.endpointId,
    from_sequence: event.sequence,
    to_sequence: event.sequence,
    event_count: 1,
    body,
    bytes: Buffer.byteLength(body),
    sha256: createHash('sha256').update(body).digest('hex'),
  });
  return { id, body, to_sequence: event.sequence, attempts: 0, failures: 0, retry_in_ms: 0 };
}

interface EventRow {
  sequence: number;
  id: string;
  type: EventType;
  data: Record<string, unknown>;
  occurred_at: Date;
  tenant: string;
  product: string;
}

/** Follows from what it covers: even a batch frozen anew after a lost database would carry the id that receivers know. */
function batchId({ endpointId }: Lane, from: number, to: number): Batch['id'] {
  const digest = createHash('sha256').update(`${endpointId}:${from}:${to}`).digest('base64url');
  return `msg_${digest.slice(0, 27)}`;
}

async function recordAttempt(trx: Knex.Transaction, { directoryId }: Lane, attempt: { batchId: string; number: number; url: string }) {
  const { batchId: id, number, url } = attempt;
  await trx('webhook_attempts')
    .where({ directory_id: directoryId, batch_id: id, outcome: 'in_flight' })
    .update({ outcome: 'aborted', ended_at: trx.raw('clock_timestamp()'), error: 'The process ended before the answer came.' });
  await trx('webhook_attempts').insert({ directory_id: directoryId, batch_id: id, number, url });
  await trx('webhook_batches')
    .where({ directory_id: directoryId, id })
    .update({ attempts: number, first_attempt_at: trx.raw('coalesce(first_attempt_at, clock_timestamp())') });
}
