import type { Knex } from 'knex';
import { countEvents } from '../../directory/event.ts';
import type { Outcome } from '../../directory/mutation.ts';
import type { ChangeStore } from '../../directory/ports.ts';
import { defaultQuotas, type Quotas } from '../../directory/quotas.ts';
import { AppError } from '../../errors.ts';
import { createFairBytes, type FairBytes, type HeldBytes } from '../fair-bytes.ts';
import { readLargeSnapshot, readSnapshot, type ReadSnapshot } from './read-snapshot.ts';
import { writeChanges } from './write-changes.ts';

type Change = ChangeStore['change'];
type Request = Parameters<Change>[0];

/** Of more, whoever wants them reads one lot after the other. */
const mostTold = 500;

export interface ChangeStoreOptions {
  /** In batch mode events wait to be asked for, and wake nobody. */
  wakes?: boolean;
  /** Whoever makes a change is told of its events. */
  tells?: boolean;
  quotas?: Quotas;
  /** For all large changes of this process together: what they read, and as much again for what they write. */
  maxBytes?: number;
  /** What takes no more is read by one statement, and written, without waiting for room. */
  smallBytes?: number;
  /** How long a large change waits for room. */
  timeoutMs?: number;
}

type StoreOptions = Required<Omit<ChangeStoreOptions, 'timeoutMs'>>;

/** Room that large changes share. One that has room to write waits for nothing else, so that none waits for ever. */
interface Rooms {
  read: FairBytes;
  write: FairBytes;
}

export function createChangeStore(
  db: Knex,
  {
    wakes = true,
    tells = false,
    quotas = defaultQuotas,
    maxBytes = 67_108_864,
    smallBytes = 262_144,
    timeoutMs = 8_000,
  }: ChangeStoreOptions = {},
): ChangeStore {
  const options = { wakes, tells, quotas, maxBytes, smallBytes };
  const rooms: Rooms = { read: createFairBytes({ maxBytes }), write: createFairBytes({ maxBytes }) };
  return {
    /** Without a lock first: as a rule nobody else changes the directory between the reading and the writing. */
    async change(request, decide) {
      const held = createHeld(request.directoryId, rooms, { smallBytes, timeoutMs });
      try {
        return (
          (await attempt(db, request, decide, { ...options, held })) ??
          (await db.transaction(async (trx) => {
            // Not `for update`: deliveries insert rows that refer to the directory, and need not wait for us.
            await trx('directories').where({ id: request.directoryId }).forNoKeyUpdate().first('id');
            return (await attempt(trx, request, decide, { ...options, held }))!;
          }))
        );
      } finally {
        held.release();
      }
    },

    async outcomeOf(directoryId, mutationId) {
      const row = await db<{ directory_id: string; id: string; outcome: Outcome }>('mutations')
        .where({ directory_id: directoryId, id: mutationId })
        .first('outcome');
      return row?.outcome;
    },

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

interface Held {
  /** Holds so much, having waited for it. Under a lock others would wait for us: the change is tried again if there is no room now. */
  hold(room: keyof Rooms, bytes: number, options: { isLocked: boolean }): Promise<void>;
  release(): void;
}

function createHeld(directoryId: string, rooms: Rooms, { smallBytes, timeoutMs }: { smallBytes: number; timeoutMs: number }): Held {
  const held: Partial<Record<keyof Rooms, HeldBytes>> = {};
  return {
    async hold(room, bytes, { isLocked }) {
      if (held[room]) return held[room].resize(bytes);
      if (bytes <= smallBytes) return;
      const entered = isLocked ? rooms[room].tryEnter(directoryId, bytes) : await rooms[room].enter(directoryId, bytes, { timeoutMs });
      if (!entered) throw overloaded();
      held[room] = entered;
    },
    release() {
      held.read?.release();
      held.write?.release();
    },
  };
}

/** Says `undefined` if the directory was changed in between, and then has written nothing. */
async function attempt(
  db: Knex | Knex.Transaction,
  request: Request,
  decide: Parameters<Change>[1],
  options: StoreOptions & { held: Held },
): Promise<Awaited<ReturnType<Change>> | undefined> {
  const snapshot = await read(db, request, options);
  if (snapshot === 'gone') return 'gone';
  // Each of them alone may be within its budget.
  if (snapshot.isOverBudget && request.mutationIds.length > 1) return 'too_large';
  const writes = await decide(snapshot);
  // Nothing was decided that must be kept. What ran before may still have to wake its delivery.
  if (writes.outcomes.length === 0 && snapshot.known.length === 0) return { wake: false };
  await options.held.hold('write', writes.bytes, { isLocked: db.isTransaction === true });
  const tells = options.tells && countEvents(writes.events) <= mostTold;
  return writeChanges(db, { ...request, snapshot, writes, wakes: options.wakes, tells });
}

async function read(
  db: Knex | Knex.Transaction,
  request: Request,
  { quotas, maxBytes, smallBytes, held }: StoreOptions & { held: Held },
): Promise<ReadSnapshot | 'gone'> {
  const snapshot = await readSnapshot(db, request, { maxBytes: smallBytes, quotas });
  if (snapshot !== 'large') return snapshot;
  const isLocked = db.isTransaction === true;
  await held.hold('read', Math.min(request.maxBytes, maxBytes / 2), { isLocked });
  const readLarge = (trx: Knex.Transaction) => readLargeSnapshot(trx, request, { maxBytes: request.maxBytes, quotas });
  const large = isLocked
    ? await readLarge(db as Knex.Transaction)
    : await db.transaction(readLarge, { isolationLevel: 'repeatable read', readOnly: true });
  if (large !== 'gone') await held.hold('read', large.bytes, { isLocked });
  return large;
}

const overloaded = () =>
  new AppError(
    'unavailable',
    'Large changes in progress take all of the memory that they may have together (MAX_MUTATION_BYTES); try again.',
  );
