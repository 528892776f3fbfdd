import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Attempt, Delivery, DeliveryStore, DueDelivery, DeliveryLane } from '../../directory/delivery/ports.ts';
import { hostSql } from '../../directory/delivery/webhook-settings.ts';
import { runParts, type StatementPart } from '../sql/statement-parts.ts';
import { type AddressColumns, type SecretColumns, openAddress } from '../encryption/secret-columns.ts';
import { attemptBytesOf, conclusionBindings, conclusionColumns, deliveryBytes } from './attempt-conclusion.ts';

type Delivered = NonNullable<Parameters<DeliveryStore['concludeAndBeginAttempt']>[1]['delivered']>;

interface BegunRow extends AddressColumns {
  status: string;
  legacy_signatures: boolean;
  last_sequence: number;
  /** Whether the address and the secrets are from the same moment. */
  is_fresh: boolean;
  begun: number | null;
  logged: boolean | null;
  secrets: [id: string, sealed: string][] | null;
}

/**
 * Concludes a successful attempt and begins the next one in a single statement, since every event passes through it. The statement first
 * locks the endpoint's row if the epoch is still that of the lane. All other steps depend on this row.
 */
export function createConcludeAndBeginAttempt(db: Knex, secretColumns: SecretColumns): DeliveryStore['concludeAndBeginAttempt'] {
  /** The decrypted address of each lane, so that it is not decrypted for each event. */
  const addresses = new WeakMap<DeliveryLane, AddressColumns & { address: string }>();

  return async (lane, { delivered, open, freeze, countsStart = false }) => {
    const next = open ?? freeze;
    const [row] = await runParts<BegunRow>(db, {
      name: 'conclude-and-begin',
      parts: [
        delivered ? heldPart(delivered, next !== undefined) : countsStart ? heldAndCounted : heldOnly,
        ...(delivered ? concludedPart(delivered) : []),
        ...(freeze ? [frozenPart(freeze, delivered !== undefined)] : []),
        ...(open ? [reopenedPart(open)] : []),
        ...(next ? [begunPart(next)] : []),
      ],
      join: (parts) =>
        `with ${parts.join(', ')}
         select held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence,
           held.updated_at = (select updated_at from webhook_endpoints where directory_id = :directoryId and id = :endpointId) as is_fresh${
             next
               ? `, (select number from begun) as begun, (select logged from opened) as logged,
           (select json_agg(json_build_array(id, secret) order by created_at desc) from webhook_secrets
            where directory_id = :directoryId and endpoint_id = :endpointId and (expires_at is null or expires_at > clock_timestamp())) as secrets`
               : ''
           }
         from held join directories d on d.id = :directoryId`,
      bindings: { ...lane },
    });
    if (!row) return 'superseded';
    if (row.url === null || row.status !== 'active') return 'inactive';
    // The transaction that it waited for may have changed the address or the secrets, so the lane must be read again.
    if (!row.is_fresh) return 'outdated';
    return { lastSequence: row.last_sequence, ...(next && row.begun !== null && { attempt: toAttempt(lane, next, row) }) };
  };

  function toAddress(lane: DeliveryLane, { url, sealed_url: sealed }: BegunRow): string {
    const known = addresses.get(lane);
    if (known && known.url === url && known.sealed_url === sealed) return known.address;
    const address = openAddress(secretColumns, lane.directoryId, { url, sealed_url: sealed })!;
    addresses.set(lane, { url, sealed_url: sealed, address });
    return address;
  }

  function toAttempt(lane: DeliveryLane, delivery: Delivery | DueDelivery, row: BegunRow): Attempt {
    const { failures, clientErrors } = 'failures' in delivery ? delivery : { failures: 0, clientErrors: 0 };
    return {
      delivery,
      number: row.begun!,
      failures,
      clientErrors,
      url: toAddress(lane, row),
      secrets: (row.secrets ?? []).map(([id, sealed]) => ({ id, secret: secretColumns.open(lane.directoryId, 'webhook_secret', sealed) })),
      legacySignatures: row.legacy_signatures,
      logged: row.logged ?? false,
    };
  }
}

const columns = 'id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes';
const fence = 'directory_id = :directoryId and id = :endpointId and epoch = :epoch';

const heldOnly: StatementPart = {
  name: 'lock',
  sql: `held as (select ${columns} from webhook_endpoints where ${fence} for update)`,
};

const heldAndCounted: StatementPart = {
  name: 'count',
  sql: `held as (update webhook_endpoints set starts = starts + 1 where ${fence} returning ${columns})`,
};

/** The row of the endpoint after a success. A next attempt counts as a start. */
const heldPart = (delivered: Delivered, begins: boolean): StatementPart => {
  const { delivery, logged } = delivered.attempt;
  const logBytes = attemptBytesOf(delivered);
  const grown = `log_bytes = log_bytes + cast(:logBytes as int) + ${deliveryBytes(logged, ':concludedId')}`;
  const starts = begins ? 1 : 0;
  return delivery.kind === 'live'
    ? {
        name: logged ? 'move-logged' : 'move',
        sql: `held as (
          update webhook_endpoints set acked_sequence = greatest(acked_sequence, :ackedSequence), batch_limit = :batchLimit,
            last_success_at = clock_timestamp(), first_failure_at = null, starts = :starts, ${grown}
          where ${fence} returning ${columns})`,
        bindings: { ackedSequence: delivery.toSequence, batchLimit: delivered.batchLimit ?? null, logBytes, starts },
      }
    : {
        name: logged ? 'succeed-logged' : 'succeed',
        sql: `held as (
          update webhook_endpoints set last_success_at = clock_timestamp(), starts = :starts, ${grown}
          where ${fence} returning ${columns}
        ), counted as (
          update webhook_replays r set done = r.done + cast(:eventCount as int), next_sequence = cast(:toSequence as bigint) + 1
          from held where r.directory_id = :directoryId and r.id = :replayId
        )`,
        bindings: { eventCount: delivery.eventCount, toSequence: delivery.toSequence, replayId: delivery.replayId!, logBytes, starts },
      };
};

const concludedPart = ({ attempt, result }: Delivered): StatementPart[] => [
  {
    name: attempt.logged ? 'conclude-logged' : 'conclude',
    sql: `concluded as (
        update webhook_attempts a set ${conclusionColumns(attempt.logged)}
        from held where a.directory_id = :directoryId and a.batch_id = :concludedId and a.number = :concludedNumber
      ), closed as (
        update webhook_batches b set status = 'delivered', done_at = clock_timestamp()${attempt.logged ? '' : ', body = null'}
        from held where b.directory_id = :directoryId and b.id = :concludedId returning b.id
      )`,
    bindings: { concludedId: attempt.delivery.id, concludedNumber: attempt.number, ...conclusionBindings({ attempt, result }) },
  },
];

/** Locks the replay, to notice that it was canceled while this statement waited for the endpoint. */
const stillRunning = `running as (
    select r.id from held join webhook_replays r on r.directory_id = :directoryId and r.id = cast(:batchReplayId as uuid) and r.status = 'running'
    for share of r
  )`;

/**
 * A unique index allows one open delivery of each kind per endpoint. The join with `closed` makes Postgres close the previous delivery first. A
 * live delivery must begin right after the cursor, so that no event is skipped.
 */
const frozenPart = (delivery: Delivery, closes: boolean): StatementPart => ({
  name: `freeze-${delivery.kind}${closes ? '-next' : ''}`,
  sql: `${delivery.kind === 'replay' ? `${stillRunning}, ` : ''}opened as (
      insert into webhook_batches (directory_id, endpoint_id, id, kind, replay_id, from_sequence, to_sequence, event_count, occurred_at, body, bytes, sha256,
        suspect, logged, attempts, first_attempt_at, total_bytes)
      select :directoryId, held.id, :batchId, '${delivery.kind}', cast(:batchReplayId as uuid), :fromSequence, :lastOfBatch, :batchCount, :occurredAt, :body,
        :bytes, :sha256, :suspect, d.log_webhook_events, 1, clock_timestamp(), held.log_bytes
      from held join directories d on d.id = :directoryId ${closes ? 'left join closed on true' : ''}
      ${delivery.kind === 'replay' ? 'join running on true' : ''}
      where held.status = 'active' and held.url is not null${delivery.kind === 'live' ? ' and held.acked_sequence + 1 = cast(:fromSequence as bigint)' : ''}
      returning id, attempts, logged
    )`,
  bindings: {
    batchId: delivery.id,
    batchReplayId: delivery.replayId ?? null,
    fromSequence: delivery.fromSequence,
    lastOfBatch: delivery.toSequence,
    batchCount: delivery.eventCount,
    occurredAt: delivery.occurredAt,
    body: delivery.body,
    bytes: Buffer.byteLength(delivery.body),
    sha256: createHash('sha256').update(delivery.body).digest('hex'),
    suspect: delivery.suspect,
  },
});

const reopenedPart = (delivery: DueDelivery): StatementPart => ({
  name: 'reopen',
  sql: `interrupted as (
      update webhook_attempts a set outcome = 'aborted', ended_at = clock_timestamp(), error = 'The process ended before the response arrived.'
      from held where a.directory_id = :directoryId and a.batch_id = :batchId and a.outcome = 'in_flight'
    ), opened as (
      update webhook_batches b set attempts = b.attempts + 1, first_attempt_at = coalesce(b.first_attempt_at, clock_timestamp())
      from held where b.directory_id = :directoryId and b.id = :batchId and b.status = 'pending' and held.status = 'active' and held.url is not null
      returning b.id, b.attempts, b.logged
    )`,
  bindings: { batchId: delivery.id },
});

const begunPart = ({ kind }: Delivery): StatementPart => ({
  name: 'begin',
  sql: `begun as (
      insert into webhook_attempts (directory_id, batch_id, number, url, sealed_url, trigger)
      select :directoryId, opened.id, opened.attempts, case when held.sealed_url is null then ${hostSql('held.url')} else held.url end, held.sealed_url, :trigger
      from opened join held on true returning number
    )`,
  bindings: { trigger: kind === 'replay' ? 'replay' : 'auto' },
});
