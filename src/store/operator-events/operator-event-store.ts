import type { Knex } from 'knex';
import type { OperatorEvent, OperatorEventStore, OperatorEventType } from '../../directory/operator/drain-operator-events.ts';
import { type Act, type AuditAction, serviceActor } from '../../audit/act.ts';
import { recordAct } from '../audit/record-act.ts';
import { newId } from '../../ids.ts';

/** Stores an operator event of a directory in the caller's transaction. */
export type EmitOperatorEvent = (
  trx: Knex.Transaction,
  type: OperatorEventType,
  directoryId: string,
  more?: Record<string, unknown>,
) => Promise<void>;

/** What the service does itself, and an operator must be able to look up. The acts behind other events are recorded where they happen. */
const ownActs: Partial<Record<OperatorEventType, AuditAction>> = {
  'dsync.webhook_disabled': 'delivery.disabled',
  'dsync.sync_failed': 'sync.failed',
  'dsync.confirmation_needed': 'sync.confirmation_needed',
  'dsync.authorization_needed': 'directory.authorization_lost',
  'dsync.mutation_rejected': 'mutation.rejected',
};

/** Without an operator webhook no event is stored, since it would never be delivered. */
export const createEmitOperatorEvent =
  ({ isHeard }: { isHeard: boolean }): EmitOperatorEvent =>
  async (trx, type, directoryId, more = {}) => {
    const action = ownActs[type];
    if (action) await recordAct(trx, toOwnAct(action, directoryId, more));
    if (!isHeard) return;
    const found = await trx('directories')
      .where({ id: directoryId })
      .first<{ tenant: string; product: string; name: string; type: string } | undefined>('tenant', 'product', 'name', 'type');
    if (!found) return;
    const { tenant, product, name, type: directoryType } = found;
    const body = { event: type, tenant, product, data: { id: directoryId, name, type: directoryType, ...more } };
    await trx('operator_events').insert({ id: newId(), body: JSON.stringify({ ...body, occurred_at: new Date().toISOString() }) });
  };

/** Reasons come from Rollcall, and contain no personal data. */
function toOwnAct(action: AuditAction, directoryId: string, more: Record<string, unknown>): Act {
  const { run_id: run, mutation_id: mutation, reason } = more as { run_id?: string; mutation_id?: string; reason?: string };
  return {
    action,
    actor: serviceActor,
    directory: { id: directoryId },
    targets: [
      ...(run === undefined ? [] : [{ type: 'sync_run' as const, id: run }]),
      ...(mutation === undefined ? [] : [{ type: 'mutation' as const, id: mutation }]),
    ],
    ...(reason !== undefined && { changes: { reason } }),
  };
}

/** Limit for undelivered events of all directories together. */
const defaultMaxWaiting = 10_000;

export const createOperatorEventStore = (
  db: Knex,
  { maxWaiting = defaultMaxWaiting }: { maxWaiting?: number } = {},
): OperatorEventStore => ({
  async oldest() {
    const found = await db('operator_events')
      .orderBy('id')
      .first<OperatorEvent | undefined>(
        'id',
        'body',
        'attempts',
        db.raw('cast(ceil(extract(epoch from next_attempt_at - clock_timestamp()) * 1000) as float8) as "dueInMs"'),
      );
    return found;
  },
  async postpone({ id, attempts }, delayMs) {
    await db('operator_events')
      .where({ id, attempts })
      .update({ attempts: attempts + 1, next_attempt_at: db.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [delayMs]) });
  },
  async remove(event) {
    await db('operator_events').where(event).delete();
  },
  async dropUndelivered(limit) {
    // Ranks the newest event of each directory first, then the second newest of each, and so on.
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from operator_events where id in (
         select id from (
           select id, created_at, row_number() over (order by age, id desc) as place from (
             select id, created_at, row_number() over (partition by case cast(body as jsonb) ->> 'event' when 'dsync.audit' then 'dsync.audit'
               else cast(body as jsonb) #>> '{data,id}' end order by id desc) as age
             from operator_events
           ) aged
         ) placed
         where place > :maxWaiting or created_at < now() - interval '30 days' order by id limit :limit)`,
      { maxWaiting, limit },
    );
    return rowCount;
  },
});
