import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import {
  type Attempt,
  type BegunTurn,
  type Delivery,
  type DeliveryLane,
  type DeliveryStore,
  type DeliveryTurn,
  type DueDelivery,
  turnKey,
} from '../../directory/delivery/ports.ts';
import { hostSql } from '../encryption/secret-columns.ts';
import { bindToRows } from '../sql/bind-to-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { runParts, type StatementPart } from '../sql/statement-parts.ts';
import { type AddressColumns, type SecretColumns, openAddress } from '../encryption/secret-columns.ts';
import { attemptBytesOf, conclusionBindings, conclusionColumns, deliveryBytes } from './attempt-conclusion.ts';

type Delivered = NonNullable<DeliveryTurn['delivered']>;

interface BegunRow extends AddressColumns {
  status: string;
  legacy_signatures: boolean | null;
  last_sequence: number;
  /** Whether the operator was told that the delivery fails. After a success, the recovery is to be told too. */
  is_alerted: boolean;
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
export function createTakeTurns(db: Knex, secretColumns: SecretColumns): Pick<DeliveryStore, 'concludeAndBeginAttempt' | 'takeTurns'> {
  /** The decrypted address of each lane, so that it is not decrypted for each event. */
  const addresses = new WeakMap<DeliveryLane, AddressColumns & { address: string }>();

  return {
    async concludeAndBeginAttempt(lane, turn) {
      const [row] = await runParts<BegunRow>(db, {
        name: 'conclude-and-begin',
        parts: partsOf(turn),
        join: (parts) => `with ${parts.join(', ')} ${selectBegun(turn)}`,
        bindings: { ...lane },
      });
      return toBegun(lane, turn, row);
    },

    async takeTurns(turns) {
      const { turn: first } = turns[0]!;
      const given = turns.map(({ lane, turn }) => Object.assign({ ...lane }, ...partsOf(turn).map(({ bindings }) => bindings)) as object);
      const rows = await runPrepared<BegunRow & { directory_id: string; epoch: number }>(
        db,
        `take-turns${partsOf(first)
          .map(({ name }) => `-${name}`)
          .join('')}`,
        () => composeTurns(first),
        { given: JSON.stringify(given) },
      );
      const byKey = new Map(rows.map((row) => [turnKey({ directoryId: row.directory_id, epoch: row.epoch }), row]));
      return new Map(
        turns.flatMap(({ lane, turn }) => {
          const row = byKey.get(turnKey(lane));
          // A secret that can't be decrypted fails its own lane: the statement has been committed.
          return row ? [[turnKey(lane), Promise.resolve(row).then((begun) => toBegun(lane, turn, begun))] as const] : [];
        }),
      );
    },
  };

  function toBegun(lane: DeliveryLane, { open, freeze }: DeliveryTurn, row: BegunRow | undefined): BegunTurn {
    const next = open ?? freeze;
    if (!row) return 'superseded';
    if (row.url === null || row.status !== 'active') return 'inactive';
    // The transaction that it waited for may have changed the address or the secrets, so the lane must be read again.
    if (!row.is_fresh) return 'outdated';
    return {
      lastSequence: row.last_sequence,
      ...(row.is_alerted && { isAlerted: true }),
      ...(next && row.begun !== null && { attempt: toAttempt(lane, next, row) }),
    };
  }

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
      legacySignatures: row.legacy_signatures ?? undefined,
      logged: row.logged ?? false,
    };
  }
}

function partsOf({ delivered, open, freeze, countsStart = false }: DeliveryTurn): StatementPart[] {
  const next = open ?? freeze;
  return [
    delivered ? heldPart(delivered, next !== undefined) : countsStart ? heldAndCounted : heldOnly,
    ...(delivered ? concludedPart(delivered) : []),
    ...(freeze ? [frozenPart(freeze, delivered !== undefined)] : []),
    ...(open ? [reopenedPart(open)] : []),
    ...(next ? [begunPart(next)] : []),
  ];
}

const selectBegun = ({ open, freeze }: DeliveryTurn, more = '') =>
  `select ${more}held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence, held.alerted_at is not null as is_alerted,
     held.updated_at = (select updated_at from webhook_endpoints where directory_id = :directoryId and id = :endpointId) as is_fresh${
       (open ?? freeze)
         ? `, (select number from begun where batch_id = :batchId) as begun, (select logged from opened where id = :batchId) as logged,
     (select json_agg(json_build_array(id, secret) order by created_at desc) from webhook_secrets
      where directory_id = :directoryId and endpoint_id = :endpointId and (expires_at is null or expires_at > clock_timestamp())) as secrets`
         : ''
     }
   from held join directories d on d.id = :directoryId`;

/** The values that a shared statement binds. */
const givenColumns = {
  directoryId: 'uuid',
  endpointId: 'uuid',
  epoch: 'bigint',
  ackedSequence: 'bigint',
  batchLimit: 'int',
  logBytes: 'int',
  starts: 'int',
  concludedId: 'text',
  concludedNumber: 'int',
  outcome: 'text',
  statusCode: 'int',
  error: 'text',
  batchId: 'text',
  batchReplayId: 'uuid',
  fromSequence: 'bigint',
  lastOfBatch: 'bigint',
  batchCount: 'int',
  occurredAt: 'timestamptz',
  body: 'text',
  bytes: 'int',
  sha256: 'text',
  suspect: 'boolean',
  trigger: 'text',
};

/**
 * The statement for one lane, with a row of values for each lane. A lane whose endpoint is
 * locked is left out, so that none waits for another.
 */
function composeTurns(turn: DeliveryTurn): string {
  const parts = partsOf(turn);
  const used = Object.entries(givenColumns).filter(([name]) => parts.some(({ bindings = {} }) => name in bindings) || name in laneKeys);
  const names = new Set(used.map(([name]) => name));
  const [held, ...others] = parts.map(({ sql }) => sql);
  const heldOfAll = held!.replace(
    `where ${fence} returning ${columns}`,
    `from given join locked on locked.endpoint = given."endpointId" where ${fence} returning ${columns}, given.*`,
  );
  return `with given as materialized (
      select * from jsonb_to_recordset(cast(:given as jsonb)) as given(${used.map(([name, type]) => `"${name}" ${type}`).join(', ')})
    ), locked as materialized (
      select e.id as endpoint
      from given join webhook_endpoints e on e.directory_id = given."directoryId" and e.id = given."endpointId" and e.epoch = given.epoch
      order by e.id for no key update of e skip locked
    ), ${[bindToRows(heldOfAll, names, 'given'), ...others.map((sql) => bindToRows(sql, names, 'held'))].join(', ')}
    ${bindToRows(selectBegun(turn, 'held."directoryId" as directory_id, held.epoch, '), names, 'held')}`;
}

const laneKeys = { directoryId: true, endpointId: true, epoch: true };

const columns = 'id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at';
const fence = 'directory_id = :directoryId and id = :endpointId and webhook_endpoints.epoch = :epoch';

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
      from held join directories d on d.id = :directoryId ${closes ? 'left join closed on closed.id = :concludedId' : ''}
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

const begunPart = ({ id, kind }: Pick<Delivery, 'id' | 'kind'>): StatementPart => ({
  name: 'begin',
  sql: `begun as (
      insert into webhook_attempts (directory_id, batch_id, number, url, sealed_url, trigger)
      select :directoryId, opened.id, opened.attempts, case when held.sealed_url is null then ${hostSql('held.url')} else held.url end, held.sealed_url, :trigger
      from opened join held on opened.id = :batchId returning batch_id, number
    )`,
  bindings: { batchId: id, trigger: kind === 'replay' ? 'replay' : 'auto' },
});
