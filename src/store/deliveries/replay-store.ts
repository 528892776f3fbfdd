import type { Knex } from 'knex';
import type { Replay, ReplayMode, ReplayStore, SequenceRange } from '../../directory/delivery/replays.ts';
import { defaultQuotas, limitOf, type Quotas } from '../../directory/quotas.ts';
import { recordAct } from '../audit/record-act.ts';
import { createdAtMs } from '../../ids.ts';
import { toOwnQuotas } from '../directories/quotas.ts';
import { findSequence } from '../event-feed/directory-feed.ts';
import type { RunRead } from '../sql/run-read.ts';
import { lockEndpoint } from './lock-endpoint.ts';
import { mapPage } from '../../directory/page.ts';
import { pageById } from '../sql/page-by-id.ts';

interface ReplayRow {
  id: string;
  directory_id: string;
  mode: ReplayMode;
  ranges: SequenceRange[];
  status: Replay['status'];
  status_reason: string | null;
  total: number;
  done: number;
  created_at: Date;
  finished_at: Date | null;
}

interface ReplayStoreDeps {
  db: Knex;
  runRead: RunRead;
  limits?: Quotas;
}

export const createReplayStore = ({ db, runRead, limits = defaultQuotas }: ReplayStoreDeps): ReplayStore => ({
  async getProgress(directoryId) {
    const row = await db('directories as d')
      .join('webhook_endpoints as e', 'e.directory_id', 'd.id')
      .where({ 'd.id': directoryId })
      .first<
        | { url: string | null; log_webhook_events: boolean; acked_sequence: number; last_sequence: number; swept_sequence: number }
        | undefined
      >('e.url', 'd.log_webhook_events', 'e.acked_sequence', 'd.last_sequence', 'd.swept_sequence');
    return (
      row && {
        hasWebhook: row.url !== null,
        logsEvents: row.log_webhook_events,
        ackedSequence: row.acked_sequence,
        lastSequence: row.last_sequence,
        deletedSequence: row.swept_sequence,
      }
    );
  },

  /** The ID of an event contains its time. */
  async findSequence(directoryId, eventId, signal) {
    const at = new Date(createdAtMs(eventId));
    const row = await select(runRead, { directoryId, signal }, async (reading) =>
      reading('stored_events')
        .where({ directory_id: directoryId, id: eventId })
        .whereBetween('sequence', await findSequencesNear(reading, directoryId, { from: at, to: at }))
        .first<{ sequence: number } | undefined>('sequence'),
    );
    return row?.sequence;
  },

  async findSequencesByTime(directoryId, { from, to }, signal) {
    const { rows } = await select(runRead, { directoryId, signal }, async (reading) => {
      const [first, last] = await findSequencesNear(reading, directoryId, { from, to });
      return reading.raw<{ rows: { first: number | null; last: number | null }[] }>(
        `select min(sequence) as first, max(sequence) as last from stored_events
         where directory_id = :directoryId and sequence between :first
             and least(:last, (select acked_sequence from webhook_endpoints where directory_id = :directoryId))
           and occurred_at >= coalesce(cast(:from as timestamptz), '-infinity') and occurred_at <= coalesce(cast(:to as timestamptz), 'infinity')`,
        { directoryId, first, last, from: from ?? null, to: to ?? null },
      );
    });
    const [row] = rows;
    return row?.first == null ? undefined : [row.first, row.last!];
  },

  findSkipped: findSkipped(runRead),

  async count(directoryId, ranges, signal) {
    const { rows } = await select(runRead, { directoryId, signal }, (reading) =>
      reading.raw<{ rows: { count: number }[] }>(
        // Counts each range by itself. A join of all ranges would read every event.
        `select coalesce(cast(sum(found.count) as bigint), 0) as count from jsonb_array_elements(cast(:ranges as jsonb)) range
           cross join lateral (
             select count(*) as count from stored_events
             where directory_id = :directoryId and data is not null
               and sequence between cast(range->>0 as bigint) and cast(range->>1 as bigint)
           ) found`,
        { directoryId, ranges: JSON.stringify(ranges) },
      ),
    );
    return rows[0]!.count;
  },

  create: createReplay(db, limits),

  list: async (directoryId, page) =>
    mapPage(await pageById<ReplayRow>(db('webhook_replays').where({ directory_id: directoryId }), 'id', page), toReplay),

  async get(id, { directoryId, ...owner }) {
    const replays = db('webhook_replays').where({ id, ...(directoryId !== undefined && { directory_id: directoryId }) });
    if (Object.keys(owner).length > 0) void replays.whereIn('directory_id', db('directories').where(owner).select('id'));
    const row = await replays.first<ReplayRow | undefined>('*');
    return row && toReplay(row);
  },

  cancel: cancelReplay(db),
});

/** The clocks of two processes may differ, so times do not increase strictly with the sequence. */
const clockMarginMs = 60_000;

/** The first and the last sequence whose events may be from this period. */
async function findSequencesNear(
  db: Knex,
  directoryId: string,
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
): Promise<[number, number]> {
  const [before, last] = await Promise.all([
    from && findSequence(db, directoryId, new Date(from.getTime() - clockMarginMs)),
    to && findSequence(db, directoryId, new Date(to.getTime() + clockMarginMs)),
  ]);
  return [(before ?? 0) + 1, last ?? Number.MAX_SAFE_INTEGER];
}

const findSkipped =
  (runRead: RunRead): ReplayStore['findSkipped'] =>
  async (directoryId, mode, [first, last], limit, signal) => {
    const isSkipped =
      mode === 'missing'
        ? `b.status = 'skipped' and b.attempts = 0`
        : `b.attempts > 0 and (b.status = 'skipped' or (b.status = 'exhausted' and b.kind = 'replay'))`;
    const { rows } = await select(runRead, { directoryId, signal }, (reading) =>
      reading.raw<{ rows: { from_sequence: number; to_sequence: number }[] }>(
        `select b.from_sequence, b.to_sequence from webhook_batches b
         where b.directory_id = :directoryId and ${isSkipped} and b.from_sequence <= :last and b.to_sequence >= :first
         order by b.from_sequence limit :limit`,
        { directoryId, first, last, limit },
      ),
    );
    return rows.map((row) => [row.from_sequence, row.to_sequence]);
  };

const createReplay =
  (db: Knex, limits: Quotas): ReplayStore['create'] =>
  ({ id, directoryId, mode, ranges, total }) =>
    db.transaction(async (trx) => {
      const endpoint = await lockEndpoint(trx, directoryId);
      if (!endpoint) return undefined;
      const { rows } = await trx.raw<{ rows: { running: number; quotas: Record<string, number> | null }[] }>(
        `select d.quotas, (select count(*) from webhook_replays where endpoint_id = :endpointId and status = 'running') as running
         from directories d where d.id = :directoryId`,
        { directoryId, endpointId: endpoint.id },
      );
      if (!rows[0]) return undefined;
      const quotas = { limits, own: toOwnQuotas(rows[0].quotas) };
      if (rows[0].running >= limitOf(quotas, 'replays')) return { tooMany: quotas };
      const [row] = await trx('webhook_replays')
        .insert({
          id,
          directory_id: directoryId,
          endpoint_id: endpoint.id,
          mode,
          ranges: JSON.stringify(ranges),
          total,
          created_at: trx.raw('clock_timestamp()'),
        })
        .returning<ReplayRow[]>('*');
      await recordAct(trx, {
        action: 'replay.started',
        directory: { id: directoryId },
        targets: [{ type: 'replay', id }],
        changes: { mode, events: total },
      });
      return { replay: toReplay(row!) };
    });

const cancelReplay =
  (db: Knex): ReplayStore['cancel'] =>
  (directoryId, id) =>
    db.transaction(async (trx) => {
      await lockEndpoint(trx, directoryId);
      const now = trx.raw('clock_timestamp()');
      const canceled = await trx('webhook_replays')
        .where({ directory_id: directoryId, id, status: 'running' })
        .update({ status: 'canceled', status_reason: 'It was canceled.', finished_at: now });
      if (canceled > 0) {
        await trx('webhook_batches')
          .where({ directory_id: directoryId, replay_id: id, status: 'pending' })
          .update({ status: 'canceled', done_at: now, body: trx.raw('case when logged then body end') });
        await recordAct(trx, { action: 'replay.canceled', directory: { id: directoryId }, targets: [{ type: 'replay', id }] });
      }
      const row = await trx('webhook_replays').where({ directory_id: directoryId, id }).first<ReplayRow | undefined>('*');
      return row && toReplay(row);
    });

/** A replay may be of many events. */
const select = <Found>(
  runRead: RunRead,
  { directoryId, signal }: { directoryId: string; signal: AbortSignal | undefined },
  query: (reading: Knex) => Promise<Found>,
) => runRead({ cost: 'search', directoryId, share: 'replays', signal, hint: 'Replay fewer events at once.' }, query);

const toReplay = (row: ReplayRow): Replay => ({
  id: row.id,
  directoryId: row.directory_id,
  mode: row.mode,
  ranges: row.ranges,
  status: row.status,
  reason: row.status_reason ?? undefined,
  total: row.total,
  done: row.done,
  createdAt: row.created_at,
  finishedAt: row.finished_at ?? undefined,
});
