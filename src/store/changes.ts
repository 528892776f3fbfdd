import type { Knex } from 'knex';
import type { NewEvent } from '../directory/event.ts';
import type { Outcome } from '../directory/mutation.ts';
import type { ChangeStore } from '../directory/ports.ts';
import { newId } from '../ids.ts';
import { prepared } from './prepared.ts';
import { deleteUsers, insertUsers } from './users.ts';

interface Rows<Row> {
  rows: Row[];
}

export function createChangeStore(db: Knex): ChangeStore {
  return {
    change: (directoryId, mutationIds, work) =>
      db.transaction(async (trx) => {
        const held = await hold(trx, directoryId, mutationIds);
        if (!held) return 'gone';
        const { now, known, lastSequence } = held;
        const { events, outcomes } = await work({
          now,
          known,
          insertUsers: (users) => insertUsers(trx, { directoryId, users, now }),
          deleteUsers: (ids) => deleteUsers(trx, { directoryId, ids }),
        });
        return append(trx, { directoryId, events, outcomes, now, lastSequence, again: known.size > 0 });
      }),

    async forgetOutcomes(limit) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from mutations where (directory_id, id) in (
           select directory_id, id from mutations where applied_at < now() - interval '3 days' order by applied_at limit ?)`,
        [limit],
      );
      return rowCount;
    },
  };
}

/**
 * Locks the directory and recalls what was applied before. Not `for update`: deliveries insert rows that refer to the directory,
 * and need not wait for us. A run that waits for its own twin does not see the twin's outcomes yet; it then fails on the key of
 * `mutations` and is tried again.
 */
async function hold(trx: Knex.Transaction, directoryId: string, mutationIds: string[]) {
  const { rows } = await trx
    .raw<Rows<{ last_sequence: number; now: Date; known: Outcome[] | null }>>(
      `with held as materialized (select last_sequence from directories where id = :directoryId for no key update)
       select last_sequence, date_trunc('milliseconds', clock_timestamp()) as now,
         (select jsonb_agg(outcome) from mutations where directory_id = :directoryId and id = any(cast(:mutationIds as uuid[]))) as known
       from held`,
      { directoryId, mutationIds },
    )
    .options(prepared('hold-directory'));
  const [row] = rows;
  if (!row) return undefined;
  return {
    now: row.now,
    lastSequence: row.last_sequence,
    known: new Map((row.known ?? []).map((outcome) => [outcome.mutationId, outcome])),
  };
}

interface Append {
  directoryId: string;
  events: NewEvent[];
  outcomes: Outcome[];
  now: Date;
  lastSequence: number;
  again: boolean;
}

/**
 * The last statement of a change. The endpoint's row is locked even if `wake` is set already: a drain that clears the flag
 * then either waits for this commit and sees its events, or was first and leaves us to wake it.
 */
async function append(trx: Knex.Transaction, { directoryId, events, outcomes, now, lastSequence, again }: Append) {
  const rows = events.map((event, index) => ({ sequence: lastSequence + 1 + index, id: newId(now.getTime()), ...event }));
  const { rows: result } = await trx
    .raw<Rows<{ turned_on: boolean; was_on: boolean }>>(
      `with kept as (
       insert into mutations (directory_id, id, outcome, applied_at)
       select cast(:directoryId as uuid), (o->>'mutationId')::uuid, o, cast(:now as timestamptz) from jsonb_array_elements(cast(:outcomes as jsonb)) o
     ), appended as (
       insert into events (directory_id, sequence, id, type, data, occurred_at)
       select cast(:directoryId as uuid), e.sequence, e.id, e.type, e.data, cast(:now as timestamptz)
       from jsonb_to_recordset(cast(:events as jsonb)) as e(sequence bigint, id uuid, type text, data jsonb)
     ), counted as (
       update directories set last_sequence = last_sequence + cast(:count as int) where id = :directoryId and cast(:count as int) > 0
     ), endpoint as (
       select id, wake from webhook_endpoints where directory_id = :directoryId and (cast(:count as int) > 0 or :again) for update
     ), woken as (
       update webhook_endpoints e set wake = true, wake_at = clock_timestamp()
       from endpoint where e.id = endpoint.id and not endpoint.wake and cast(:count as int) > 0
       returning e.id
     )
     select exists (select from woken) as turned_on, coalesce((select bool_or(wake) from endpoint), false) as was_on`,
      { directoryId, outcomes: JSON.stringify(outcomes), events: JSON.stringify(rows), now, count: rows.length, again },
    )
    .options(prepared('append-changes'));
  const { turned_on: turnedOn, was_on: wasOn } = result[0]!;
  // Run again after a crash: the first run may have turned the flag on and died before it woke anybody.
  return { wake: turnedOn || (again && wasOn) };
}
