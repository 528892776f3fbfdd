import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { ownDeliveryBytes } from './attempt-conclusion.ts';
import { recordAct } from '../audit/record-act.ts';
import { toPageWeight } from '../resources/list-rows.ts';
import type { RunRead } from '../sql/run-read.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { pageCost } from '../resources/query-cost.ts';
import { type AddressColumns, type SecretColumns, openAddress, toAddressColumns } from '../encryption/secret-columns.ts';
import { polisSuccess } from '../../directory/delivery/delivery-log.ts';
import type { DeliveryPosition, DeliveryLogStore, LoggedAttempt, WebhookEvent } from '../../directory/delivery/delivery-log.ts';
import { mapPage, maxPageBytes, toContinuedPage } from '../../directory/page.ts';
import { toDisplayAddress } from '../../directory/delivery/webhook-settings.ts';
import { toMicroseconds } from '../sql/microseconds.ts';
import { createListAcrossDirectories } from './deliveries-across-directories.ts';
import { type DeliveryRow, columns, eventTypes, isAfter, toDelivery } from './delivery-rows.ts';

interface AttemptRow extends AddressColumns {
  number: number;
  trigger: LoggedAttempt['trigger'];
  outcome: LoggedAttempt['outcome'];
  status_code: number | null;
  error: string | null;
  secret_ids: string[] | null;
  address: string | null;
  request_headers: Record<string, string> | null;
  response_headers: Record<string, string> | null;
  response_body: string | null;
  response_truncated: boolean | null;
  timings: NonNullable<LoggedAttempt['timings']> | null;
  started_at: Date;
  ended_at: Date | null;
}

interface EventRow extends AddressColumns {
  id: string;
  directory_id: string;
  created_at: Date;
  status_code: number | null;
  outcome: LoggedAttempt['outcome'];
  body: string | null;
}

const positionOf = ({ at, sequence, id }: DeliveryPosition): DeliveryPosition => ({ at, sequence, id });

/** Deliveries whose first attempt is still in flight are not shown. */
const hasEnded = `exists (select from webhook_attempts a where a.directory_id = b.directory_id and a.batch_id = b.id and a.outcome <> 'in_flight')`;
const lastAttempt = `cross join lateral (
  select url, sealed_url, status_code, outcome from webhook_attempts a
  where a.directory_id = b.directory_id and a.batch_id = b.id and a.outcome <> 'in_flight' order by number desc limit 1
) last`;

export interface DeliveryLogStoreDeps {
  db: Knex;
  secretColumns: SecretColumns;
  runRead: RunRead;
  memory: ResponseMemory;
}

export const createDeliveryLogStore = ({ db, secretColumns, runRead, memory }: DeliveryLogStoreDeps): DeliveryLogStore => ({
  list(directoryId, { status, kind }, page) {
    // No index serves status or kind, so many rows may be read to find a few.
    const cost = status || kind ? 'search' : pageCost({ offset: 0, ...page });
    return runRead({ cost, directoryId }, async (reading) => {
      const deliveries = reading('webhook_batches')
        .where({ directory_id: directoryId, ...(status && { status }), ...(kind && { kind }) })
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'from_sequence', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(page.limit + 1)
        .select<(DeliveryRow & { at: number })[]>(columns)
        .select(reading.raw(eventTypes), reading.raw(`${toMicroseconds('created_at')} as at`));
      const rows = await ('after' in page
        ? deliveries.whereRaw(isAfter('webhook_batches'), { ...page.after })
        : deliveries.offset(page.offset));
      return mapPage(
        toContinuedPage(rows, page.limit, ({ at, from_sequence: sequence, id }) => ({ at, sequence, id })),
        toDelivery,
      );
    });
  },

  listAcross: createListAcrossDirectories(runRead),

  async get(directoryId, id) {
    const row = await db('webhook_batches')
      .where({ directory_id: directoryId, id })
      .first<DeliveryRow | undefined>([...columns, db.raw(eventTypes)]);
    if (!row) return undefined;
    return memory.read(directoryId, await weighDelivery(db, row), async () => {
      const [kept, attempts] = await Promise.all([
        db('webhook_batches').where({ directory_id: directoryId, id }).first<{ body: string | null } | undefined>('body'),
        db('webhook_attempts').where({ directory_id: directoryId, batch_id: id }).orderBy('number').select<AttemptRow[]>('*'),
      ]);
      return {
        ...toDelivery(row),
        body: kept?.body ?? undefined,
        attemptLog: attempts.map((attempt) => toAttempt(attempt, shownAddress(secretColumns, directoryId, attempt))),
      };
    });
  },

  /** Each directory contributes at most `offset + limit` keys. Bodies are read for the page only. */
  async listEvents(directoryIds, page) {
    const directoryId = directoryIds[0]!;
    const { limit } = page;
    const { offset, after } = { offset: 0, after: undefined, ...page };
    const read = { cost: pageCost({ offset, limit }), directoryId };
    const load = () =>
      runRead(read, async (reading) =>
        reading.raw<{ rows: (EventRow & DeliveryPosition & { fetched: number })[] }>(
          `with keys as (
         select k.* from unnest(cast(:directoryIds as uuid[])) as d(id)
           cross join lateral (
             select b.directory_id, b.id, b.created_at, b.from_sequence, b.bytes from webhook_batches b
             where b.directory_id = d.id and b.logged and b.attempts > 0 and ${hasEnded}${after ? ` and ${isAfter('b')}` : ''}
             order by b.created_at desc, b.from_sequence desc, b.id desc limit cast(:offset as bigint) + :limit + 1
           ) k
         order by k.created_at desc, k.from_sequence desc, k.id desc offset :offset limit cast(:limit as bigint) + 1
       ), measured as (
         select keys.*, count(*) over () as fetched,
           sum(bytes) over (order by created_at desc, from_sequence desc, id desc) - bytes as bytes_before
         from keys
       )
       select b.id, b.directory_id, b.created_at, b.body, last.*, measured.fetched, ${toMicroseconds('b.created_at')} as at, b.from_sequence as sequence
       from measured join webhook_batches b on b.directory_id = measured.directory_id and b.id = measured.id ${lastAttempt}
       where measured.bytes_before < :maxPageBytes
       order by b.created_at desc, b.from_sequence desc, b.id desc`,
          { directoryIds, offset, limit, maxPageBytes, ...after },
        ),
      );
    const { rows } = await memory.read(directoryId, toPageWeight(limit, maxPageBytes), load, (found) => weighBodies(found.rows));
    const shown = rows.slice(0, limit);
    const fetched = rows[0]?.fetched ?? 0;
    return {
      resources: shown.map((row) => toEvent(row, secretColumns)),
      isCut: shown.length < Math.min(fetched, limit),
      next: fetched > shown.length ? positionOf(shown.at(-1)!) : undefined,
    };
  },

  async getEvent(directoryIds, id) {
    const found = await db('webhook_batches')
      .whereRaw('directory_id = any(cast(? as uuid[]))', [directoryIds])
      .where({ id, logged: true })
      .first<Pick<DeliveryRow, 'directory_id' | 'bytes'> | undefined>('directory_id', 'bytes');
    if (!found) return undefined;
    const load = () =>
      db.raw<{ rows: EventRow[] }>(
        `select b.id, b.directory_id, b.created_at, b.body, last.* from webhook_batches b ${lastAttempt}
       where b.directory_id = :directoryId and b.id = :id and b.logged`,
        { directoryId: found.directory_id, id },
      );
    const { rows } = await memory.read(found.directory_id, found.bytes, async () => load());
    return rows[0] && toEvent(rows[0], secretColumns);
  },

  /** Keeps skipped and open deliveries, which can still be sent. */
  dropEvents: (directoryId, until, limit) =>
    db.transaction(async (trx) => {
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        `delete from webhook_batches where directory_id = :directoryId and id in (
           select id from webhook_batches
           where directory_id = :directoryId and created_at <= :until and logged and attempts > 0
             and status in ('delivered', 'split', 'replayed', 'canceled')
           order by created_at limit :limit)`,
        { directoryId, until, limit },
      );
      await recordAct(trx, { action: 'delivery_log.deleted', directory: { id: directoryId }, changes: { deliveries: rowCount } });
      return rowCount;
    }),

  dropEvent: (directoryIds, id) =>
    db.transaction(async (trx) => {
      const [dropped] = await trx('webhook_batches')
        .whereRaw('directory_id = any(cast(? as uuid[]))', [directoryIds])
        .where({ id, logged: true })
        .whereIn('status', ['delivered', 'split', 'replayed', 'canceled'])
        .delete()
        .returning<{ directory_id: string }[]>('directory_id');
      if (!dropped) return;
      await recordAct(trx, {
        action: 'delivery_log.deleted',
        directory: { id: dropped.directory_id },
        targets: [{ type: 'delivery', id }],
        changes: { deliveries: 1 },
      });
    }),

  /** It covers no sequence, so that no delivery or replay takes it for its own. */
  async record(directoryId, { id, url, body, events, statusCode, at }) {
    const isSuccess = statusCode === polisSuccess;
    const address = toAddressColumns(secretColumns, directoryId, url);
    await db.raw(
      `with grown as (
         update webhook_endpoints set log_bytes = log_bytes + cast(:logBytes as int) where directory_id = :directoryId
         returning directory_id, id, log_bytes
       ), batch as (
         insert into webhook_batches (id, directory_id, endpoint_id, kind, from_sequence, to_sequence, event_count, body, bytes, sha256, status,
           attempts, failures, created_at, first_attempt_at, done_at, logged, total_bytes)
         select :id, directory_id, id, 'replay', 0, 0, :events, cast(:body as text), cast(:bytes as int), :sha256,
           cast(:status as text), 1, cast(:failures as int), cast(:at as timestamptz), cast(:at as timestamptz), cast(:at as timestamptz), true, log_bytes
         from grown
         returning directory_id, id
       )
       insert into webhook_attempts (directory_id, batch_id, number, url, sealed_url, started_at, ended_at, outcome, status_code)
       select directory_id, id, 1, :url, :sealedUrl, cast(:at as timestamptz), cast(:at as timestamptz), :outcome, :statusCode from batch`,
      {
        id,
        directoryId,
        events,
        body,
        bytes: Buffer.byteLength(body),
        logBytes: ownDeliveryBytes({ url, body }),
        sha256: createHash('sha256').update(body).digest('hex'),
        status: isSuccess ? 'delivered' : 'canceled',
        failures: isSuccess ? 0 : 1,
        at,
        url: address.url,
        sealedUrl: address.sealed_url,
        outcome: isSuccess ? 'success' : 'http_error',
        statusCode,
      },
    );
  },
});

const weighBodies = (rows: EventRow[]) => rows.reduce((sum, { body }) => sum + 1_024 + (body?.length ?? 0), 0);

/** In bytes, before any of it is read. */
async function weighDelivery(db: Knex, { directory_id: directoryId, id, bytes }: DeliveryRow): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ weight: number }] }>(
    `select coalesce(sum(1024 + coalesce(octet_length(response_body), 0)), 0) as weight from webhook_attempts
     where directory_id = :directoryId and batch_id = :id`,
    { directoryId, id },
  );
  return bytes + rows[0].weight;
}

const shownAddress = (secretColumns: SecretColumns, directoryId: string, row: AddressColumns): string =>
  toDisplayAddress(openAddress(secretColumns, directoryId, row)!);

const toAttempt = (row: AttemptRow, url: string): LoggedAttempt => ({
  number: row.number,
  trigger: row.trigger,
  outcome: row.outcome,
  statusCode: row.status_code ?? undefined,
  error: row.error ?? undefined,
  url,
  secretIds: row.secret_ids ?? undefined,
  timings: row.timings ?? undefined,
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  ...(row.address !== null && { address: row.address }),
  ...(row.request_headers && { requestHeaders: row.request_headers }),
  ...(row.response_headers && { responseHeaders: row.response_headers }),
  ...(row.response_body !== null && { responseBody: row.response_body }),
  ...(row.response_truncated !== null && { responseTruncated: row.response_truncated }),
});

const toEvent = (row: EventRow, secretColumns: SecretColumns): WebhookEvent => ({
  id: row.id,
  url: shownAddress(secretColumns, row.directory_id, row),
  createdAt: row.created_at,
  statusCode: row.status_code ?? undefined,
  delivered: row.outcome === 'success',
  body: row.body ?? undefined,
});
