import type { Knex } from 'knex';
import type { Narrowing } from '../../access/narrowing.ts';
import type { AuditEntry } from '../../audit/act.ts';
import type { AuditStore } from '../../audit/ports.ts';
import type { RunRead } from '../sql/run-read.ts';
import { recordAct } from './record-act.ts';

interface EntryRow {
  position: number;
  hash: string;
  body: string;
}

interface AuditStoreDeps {
  db: Knex;
  runRead: RunRead;
}

const link = `position, encode(hash, 'hex') as hash`;

export const createAuditStore = ({ db, runRead }: AuditStoreDeps): AuditStore => ({
  record: (act) => recordAct(db, act),

  async list(filter, narrowed, { order, after, limit }) {
    if (contradicts(filter, narrowed)) return [];
    const owned = toOwnedTarget({ ...filter, ...narrowed });
    const targets = [owned, filter.target === undefined ? undefined : { id: filter.target }].filter((target) => target !== undefined);
    const isIndexed = targets.length === 0 && !filter.actions && filter.actor === undefined && !filter.from && !filter.until;
    const rows = await runRead(
      { cost: isIndexed ? 'page' : 'search', directoryId: 'the service', share: 'the audit log', hint: 'Use a shorter period.' },
      async (reading) => {
        const query = reading('audit_log')
          .whereNotNull('position')
          .orderBy('position', order)
          .limit(limit)
          .select<EntryRow[]>(reading.raw(`${link}, body`));
        if (after !== undefined) void query.where('position', order === 'asc' ? '>' : '<', after);
        if (filter.actions) void query.whereIn('action', filter.actions);
        if (filter.actor !== undefined) void query.where({ actor_id: filter.actor });
        if (filter.from) void query.where('occurred_at', '>=', filter.from);
        if (filter.until) void query.where('occurred_at', '<', filter.until);
        for (const target of targets) void query.whereRaw(names, [JSON.stringify([target])]);
        if (filter.target !== undefined) void query.where(isKnown(filter.target, narrowed));
        return query;
      },
    );
    return rows.map(({ position, hash, body }) => ({ position, hash, entry: JSON.parse(body) as AuditEntry }));
  },

  async chain() {
    const { rows } = await db.raw<{ rows: { position: number; hash: string }[] }>(
      `select ${link} from audit_chain where id union all select ${link} from audit_anchor where id`,
    );
    return { head: rows[0]!, anchor: rows[1]! };
  },

  dropExpired: (keptMs, limit) =>
    db.transaction(async (trx): Promise<number> => {
      const { rows } = await trx.raw<{ rows: { position: number; is_expired: boolean }[] }>(
        `select position, occurred_at < now() - :keptMs * interval '1 millisecond' as is_expired
         from audit_log where position is not null order by position limit :limit`,
        { keptMs, limit },
      );
      const kept = rows.findIndex((row) => !row.is_expired);
      const last = (kept === -1 ? rows : rows.slice(0, kept)).at(-1);
      if (!last) return 0;
      // The anchor first: a trigger lets only entries up to it be deleted.
      await trx.raw(
        `update audit_anchor a set position = l.position, hash = l.hash from audit_log l where a.id and l.position = :position and a.position < l.position`,
        { position: last.position },
      );
      return trx('audit_log').where('position', '<=', last.position).delete();
    }),
});

const names = 'targets @> cast(? as jsonb)';

/** A caller that asks for directories that it may not know of finds nothing. */
const contradicts = (filter: Narrowing, narrowed: Narrowing) =>
  (Object.keys(narrowed) as (keyof Narrowing)[]).some((field) => filter[field] !== undefined && filter[field] !== narrowed[field]);

/** An entry names many directories. If one of them is the caller's, it must not be found by the ID of another one. */
const isKnown = (target: string, narrowed: Narrowing) => (query: Knex.QueryBuilder) => {
  const own = toOwnedTarget(narrowed);
  if (!own) return;
  void query.whereRaw(`not ${names}`, [JSON.stringify([{ type: 'directory', id: target }])]);
  if (!contradicts({ directoryId: target }, narrowed)) void query.orWhereRaw(names, [JSON.stringify([{ ...own, id: target }])]);
};

function toOwnedTarget({ tenant, product, directoryId: id }: Narrowing) {
  const given = { ...(tenant !== undefined && { tenant }), ...(product !== undefined && { product }), ...(id !== undefined && { id }) };
  // API keys have a tenant and product too.
  return Object.keys(given).length === 0 ? undefined : { ...(id !== undefined && { type: 'directory' }), ...given };
}

/** Whether each new entry also becomes an operator event. */
export const setAuditEmits = (db: Knex, emits: boolean) => db('audit_chain').whereNot({ emits }).update({ emits });
