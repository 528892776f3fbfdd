import type { Knex } from 'knex';
import { countEvents } from '../../directory/event.ts';
import type { RecomputeKey } from '../../directory/attributes/ports.ts';
import type { Outcome } from '../../directory/changes/mutation.ts';
import type { Changed, ChangeStore } from '../../directory/ports.ts';
import { defaultQuotas, type Quotas } from '../../directory/quotas.ts';
import { AppError } from '../../errors.ts';
import { createFairBytes, type FairBytes, type HeldBytes } from '../../shared/fair-bytes.ts';
import { maxStatementBytes, readLargeSnapshot, readSnapshot, type ReadSnapshot } from './read-snapshot.ts';
import { changeTogether } from './change-together.ts';
import { copiesTooMuch } from './copied-users.ts';
import { findHidden } from './find-hidden.ts';
import type { KnownStates } from './known-states.ts';
import { writeChanges } from './write-changes.ts';

type Change = ChangeStore['change'];
type Request = Parameters<Change>[0];

/** With more events, the caller reads them in batches instead. */
const maxEmitted = 500;

export interface ChangeStoreOptions {
  /** Called after the commit of a change that users are to be recomputed for. Returns immediately. */
  onRecompute?: ((key: RecomputeKey) => void) | undefined;
  /** Whether events wake the delivery. False in batch mode, where deliveries are scheduled. */
  wakes?: boolean;
  /** Whether a change returns its events. */
  returnsEvents?: boolean;
  /** What this process knows of directories, so that a simple change is one statement. Only for a store that returns events. */
  known?: KnownStates | undefined;
  quotas?: Quotas;
  /** The memory budget for reads of all large changes of this process, and the same again for their writes. */
  maxBytes?: number;
  /** A change up to this size is read by one statement and needs no room in the budget. */
  smallBytes?: number;
  /** How long a large change waits for room in the budget. */
  timeoutMs?: number;
}

type StoreOptions = Required<Omit<ChangeStoreOptions, 'timeoutMs' | 'known' | 'onRecompute'>> & Pick<ChangeStoreOptions, 'known'>;

/** Memory budgets of large changes. A change that has room to write waits for nothing else, which prevents deadlocks. */
interface Budgets {
  read: FairBytes;
  write: FairBytes;
}

export function createChangeStore(
  db: Knex,
  {
    onRecompute,
    wakes = true,
    returnsEvents = false,
    known,
    quotas = defaultQuotas,
    maxBytes = 67_108_864,
    smallBytes = 262_144,
    timeoutMs = 8_000,
  }: ChangeStoreOptions = {},
): ChangeStore {
  const options = { wakes, returnsEvents, known, quotas, maxBytes, smallBytes };
  const budgets: Budgets = { read: createFairBytes({ maxBytes }), write: createFairBytes({ maxBytes }) };
  return {
    async change(request, decide) {
      return started(await changeOne(request, decide));
    },

    async changeTogether(changes, onFailure) {
      const changed = await changeTogether(db, changes, { wakes, quotas, maxBytes: smallBytes / 4, onFailure });
      changed.forEach(started);
      return changed;
    },

    async outcomeOf(directoryId, mutationId) {
      const row = await db<{ directory_id: string; id: string; outcome: Outcome }>('mutations')
        .where({ directory_id: directoryId, id: mutationId })
        .first('outcome');
      return row?.outcome;
    },

    async deleteOldOutcomes(limit) {
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
      await db.raw(`delete from first_mutation_starts where started_at < now() - interval '3 days'`);
      return rows[0].count;
    },
  };

  /** The first attempt takes no lock before it writes, since concurrent changes of a directory are rare. The second attempt does. */
  async function changeOne(request: Request, decide: Parameters<Change>[1]): ReturnType<Change> {
    const assumed = known && (await changeAssumed(db, request, decide, { ...options, known }));
    if (assumed) return assumed;
    const held = createHeld(request.directoryId, budgets, { smallBytes, timeoutMs });
    try {
      return (
        (await attempt(db, request, decide, { ...options, held })) ??
        (await held.renew(),
        await db.transaction(async (trx) => {
          // Not `for update`, which would block deliveries that insert rows with a reference to the directory.
          await trx('directories').where({ id: request.directoryId }).forNoKeyUpdate().first('id');
          return (await attempt(trx, request, decide, { ...options, held }))!;
        }))
      );
    } finally {
      held.release();
    }
  }

  function started<Result extends Awaited<ReturnType<Change>>>(changed: Result): Result {
    if (typeof changed === 'object' && changed.recompute) onRecompute?.(changed.recompute);
    return changed;
  }
}

/**
 * Decides from what is known of the directory, and writes. Returns undefined, without changes, if too little is known, if it is no longer true,
 * or if the decision is not simply to write.
 */
async function changeAssumed(
  db: Knex,
  { directoryId, mutationIds, wanted, shownUsers }: Request,
  decide: Parameters<Change>[1],
  { known, wakes, smallBytes }: StoreOptions & { known: KnownStates },
): Promise<Changed | undefined> {
  const snapshot = known.assume(directoryId, wanted);
  if (!snapshot) return undefined;
  const writes = await decide(snapshot);
  // An error is decided from what is read: a quota may just have been raised.
  const succeeds = writes.outcomes.length === mutationIds.length && writes.outcomes.every(({ error, results }) => !error && !results);
  if (!succeeds || writes.bytes > smallBytes || countEvents(writes.events) > maxEmitted) return undefined;
  const request = { directoryId, snapshot, writes, wakes, returnsEvents: true, shownUsers, unused: wanted };
  const changed = await writeChanges(db, request).catch((error: unknown) => {
    known.forget(directoryId);
    // The mutation was applied before, and its outcome has to be read.
    if (isDuplicate(error)) return undefined;
    throw error;
  });
  if (changed) known.learn(directoryId, snapshot, { writes, eventBytes: changed.eventBytes!, isAssumed: true });
  else known.pause(directoryId);
  return changed;
}

interface Held {
  /** Waits for room and holds it. With a lock it fails if there is no room now, so that others do not wait for the lock. */
  hold(budget: keyof Budgets, bytes: number, options: { isLocked: boolean }): Promise<void>;
  holds(budget: keyof Budgets): boolean;
  /** What was read is smaller than what was held for it. */
  settle(budget: keyof Budgets, bytes: number): void;
  /** Waits for the same room again, as the change may have become as large as it may be. */
  renew(): Promise<void>;
  release(): void;
}

function createHeld(directoryId: string, budgets: Budgets, { smallBytes, timeoutMs }: { smallBytes: number; timeoutMs: number }): Held {
  const held = new Map<keyof Budgets, { room: HeldBytes; bytes: number; asked: number }>();
  return { hold, holds: (budget) => held.has(budget), settle, renew, release };

  async function hold(budget: keyof Budgets, bytes: number, { isLocked }: { isLocked: boolean }): Promise<void> {
    const own = held.get(budget);
    if (own ? bytes <= own.bytes : bytes <= smallBytes) return settle(budget, bytes);
    drop(budget);
    const room = isLocked ? budgets[budget].tryEnter(directoryId, bytes) : await budgets[budget].enter(directoryId, bytes, { timeoutMs });
    if (!room) throw overloaded();
    held.set(budget, { room, bytes, asked: bytes });
  }

  function settle(budget: keyof Budgets, bytes: number): void {
    const own = held.get(budget);
    if (!own) return;
    own.room.resize(bytes);
    own.bytes = bytes;
  }

  /** In the order in which a change asks, so that two of them can't wait for each other. */
  async function renew(): Promise<void> {
    const asked = { read: held.get('read')?.asked, write: held.get('write')?.asked };
    release();
    for (const budget of ['read', 'write'] as const)
      if (asked[budget] !== undefined) await hold(budget, asked[budget], { isLocked: false });
  }

  function release(): void {
    drop('read');
    drop('write');
  }

  function drop(budget: keyof Budgets): void {
    held.get(budget)?.room.release();
    held.delete(budget);
  }
}

/** Returns undefined, without changes, if the directory was changed between the read and the write. */
async function attempt(
  db: Knex | Knex.Transaction,
  request: Request,
  decide: Parameters<Change>[1],
  options: StoreOptions & { held: Held },
): Promise<Awaited<ReturnType<Change>> | undefined> {
  const snapshot = await read(db, request, options);
  if (snapshot === 'gone') return 'gone';
  // Each mutation on its own may be within its budget.
  if (snapshot.overBudget && request.mutationIds.length > 1) return 'too_large';
  let writes = await decide(snapshot);
  const { resourceBytes } = snapshot.usage;
  const copied = { hasAttributes: snapshot.attributeRules !== undefined, hasRoles: snapshot.roleTable !== undefined };
  if (await copiesTooMuch(db, request.directoryId, { events: writes.events, resourceBytes, ...copied, maxBytes: request.maxBytes })) {
    if (request.mutationIds.length > 1) return 'too_large';
    writes = await decide({ ...snapshot, overBudget: 'copies' });
  }
  // Nothing to write. Known outcomes still need the write, because their first run may not have woken the delivery.
  if (writes.outcomes.length === 0 && writes.recomputed.length === 0 && snapshot.knownOutcomes.length === 0) return { wake: false };
  await options.held.hold('write', writes.bytes, { isLocked: db.isTransaction === true });
  const returnsEvents = options.returnsEvents && countEvents(writes.events) <= maxEmitted;
  const changed = await writeChanges(db, { ...request, snapshot, writes, wakes: options.wakes, returnsEvents });
  // In a transaction it is not committed yet, and where inactive users are hidden each change reads who is.
  if (changed?.eventBytes === undefined || db.isTransaction || snapshot.overBudget || snapshot.hiding)
    options.known?.forget(request.directoryId);
  else options.known?.learn(request.directoryId, snapshot, { writes, eventBytes: changed.eventBytes, isAssumed: false });
  return changed;
}

/** Where inactive users are hidden, it may read again and more. The write compares the revision, so what was read is of one moment. */
async function read(db: Knex | Knex.Transaction, request: Request, options: StoreOptions & { held: Held }): Promise<ReadSnapshot | 'gone'> {
  const snapshot = await readWanted(db, request, options);
  if (snapshot === 'gone' || !snapshot.hiding) return snapshot;
  const wanted = request.widen?.(snapshot.users);
  const wide = wanted ? await readWanted(db, { ...request, wanted }, options) : snapshot;
  if (wide === 'gone' || !wide.hiding) return wide;
  return { ...wide, hidden: await findHidden(db, request.directoryId, wide, wide.hiding) };
}

async function readWanted(
  db: Knex | Knex.Transaction,
  request: Request,
  { quotas, maxBytes, smallBytes, held }: StoreOptions & { held: Held },
): Promise<ReadSnapshot | 'gone'> {
  const isLocked = db.isTransaction === true;
  // A batch of a recomputation fits into a statement, and often not into a small one.
  const isDerived = request.wanted.recomputed.size > 0;
  const shortBytes = isDerived ? Math.min(maxStatementBytes, maxBytes / 2) : smallBytes;
  // With a lock, the room that was waited for is kept: a large snapshot may need it.
  if (isDerived && !(isLocked && held.holds('read'))) await held.hold('read', shortBytes, { isLocked });
  const snapshot = await readSnapshot(db, request, { maxBytes: shortBytes, quotas });
  if (snapshot !== 'large') {
    if (isDerived && snapshot !== 'gone') held.settle('read', snapshot.bytes);
    return snapshot;
  }
  await held.hold('read', Math.min(request.maxBytes, maxBytes / 2), { isLocked });
  const readLarge = (trx: Knex.Transaction) => readLargeSnapshot(trx, request, { maxBytes: request.maxBytes, quotas });
  const large = isLocked
    ? await readLarge(db as Knex.Transaction)
    : await db.transaction(readLarge, { isolationLevel: 'repeatable read', readOnly: true });
  if (large !== 'gone') held.settle('read', large.bytes);
  return large;
}

const isDuplicate = (error: unknown): boolean => (error as { constraint?: unknown }).constraint === 'mutations_pkey';

const overloaded = () =>
  new AppError('unavailable', 'Large changes in progress use all of their memory budget (MAX_MUTATION_BYTES); try again.');
