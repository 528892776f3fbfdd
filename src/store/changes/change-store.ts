import type { Knex } from 'knex';
import type { ChangeStore } from '../../directory/ports.ts';
import { defaultQuotas, type Quotas } from '../../directory/quotas.ts';
import { readSnapshot } from './read-snapshot.ts';
import { writeChanges } from './write-changes.ts';

type Change = ChangeStore['change'];

/** Of more, whoever wants them reads one lot after the other. */
const mostTold = 500;

export interface ChangeStoreOptions {
  /** In batch mode events wait to be asked for, and wake nobody. */
  wakes?: boolean;
  /** Whoever makes a change is told of its events. */
  tells?: boolean;
  quotas?: Quotas;
}

export function createChangeStore(db: Knex, { wakes = true, tells = false, quotas = defaultQuotas }: ChangeStoreOptions = {}): ChangeStore {
  const options = { wakes, tells, quotas };
  return {
    /** Without a lock first: as a rule nobody else changes the directory between the reading and the writing. */
    change: async (request, decide) =>
      (await attempt(db, request, decide, options)) ??
      db.transaction(async (trx) => {
        // Not `for update`: deliveries insert rows that refer to the directory, and need not wait for us.
        await trx('directories').where({ id: request.directoryId }).forNoKeyUpdate().first('id');
        return (await attempt(trx, request, decide, options))!;
      }),

    async forgetOutcomes(limit) {
      const { rows } = await db.raw<{ rows: [{ count: number }] }>(
        `with dropped as (
           delete from mutations where (directory_id, id) in (
             select directory_id, id from mutations where applied_at < now() - interval '3 days' order by applied_at limit ?)
           returning directory_id, total_bytes
         ), noted as (
           update directories d set trimmed_outcome_bytes = last.total_bytes
           from (select directory_id, max(total_bytes) as total_bytes from dropped group by directory_id) last
           where d.id = last.directory_id and d.trimmed_outcome_bytes < last.total_bytes
         )
         select count(*) as count from dropped`,
        [limit],
      );
      await db.raw(
        `delete from mutation_starts where (directory_id, id) in (
           select directory_id, id from mutation_starts where started_at < now() - interval '3 days' order by started_at limit ?)`,
        [limit],
      );
      return rows[0].count;
    },
  };
}

/** Says `undefined` if the directory was changed in between, and then has written nothing. */
async function attempt(
  db: Knex | Knex.Transaction,
  request: Parameters<Change>[0],
  decide: Parameters<Change>[1],
  options: Required<ChangeStoreOptions>,
): Promise<Awaited<ReturnType<Change>> | undefined> {
  const snapshot = await readSnapshot(db, request, options.quotas);
  if (!snapshot) return 'gone';
  const writes = await decide(snapshot);
  // Nothing was decided that must be kept. What ran before may still have to wake its delivery.
  if (writes.outcomes.length === 0 && snapshot.known.length === 0) return { wake: false };
  const tells = options.tells && writes.events.length <= mostTold;
  return writeChanges(db, { ...request, snapshot, writes, wakes: options.wakes, tells });
}
