import type { Knex } from 'knex';
import type { RoleName } from '../../access/roles.ts';
import type { KeyOfSession, LoginLink, Session, SessionStore, SignInMethod } from '../../access/session-ports.ts';
import { recordAct } from '../audit/record-act.ts';

interface KeyColumns {
  key_prefix: string | null;
  root_key_hash: Buffer | null;
}

interface SessionRow extends KeyColumns {
  id: string;
  hash: Buffer;
  person_id: string;
  person_name: string;
  method: SignInMethod;
  /** The role and the fingerprint of the settings that mapped the person to it: `admin:…`. */
  role: string | null;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  ended_at: Date | null;
}

interface LinkRow extends KeyColumns {
  created_at: Date;
  expires_at: Date;
}

/** Includes ended sessions, so that signing in and out repeatedly cannot fill the table. Ended ones are deleted first. */
const maxPerPerson = 20;
const maxLinksPerKey = 20;

export function createSessionStore(db: Knex): SessionStore {
  return {
    create: ({ id, personId, personName, method, grant, createdAt, expiresAt }, { hash, formerHash, linkHash }, actor) =>
      db.transaction(async (trx) => {
        if (linkHash) {
          const used = await trx('login_links').where({ hash: linkHash }).where('expires_at', '>', createdAt).delete();
          if (used === 0) return undefined;
        }
        const [row] = await trx<SessionRow>('sessions').insert(
          {
            id,
            hash,
            person_id: personId,
            person_name: personName,
            method,
            role: grant.role ? `${grant.role}:${grant.fingerprint}` : null,
            ...(grant.key ? toColumns(grant.key) : { key_prefix: null, root_key_hash: null }),
            created_at: createdAt,
            last_used_at: createdAt,
            expires_at: expiresAt,
          },
          '*',
        );
        const former: { id: string }[] = formerHash
          ? await trx('sessions')
              .where({ hash: formerHash, ended_at: null })
              .where('expires_at', '>', createdAt)
              .update({ ended_at: createdAt }, ['id'])
          : [];
        const { rows: deleted } = await trx.raw<{ rows: { id: string; was_active: boolean }[] }>(
          `delete from sessions where id in (
             select id from sessions where person_id = :personId
             order by (ended_at is null and expires_at > :createdAt) desc, created_at desc, id desc offset :maxPerPerson)
           returning id, ended_at is null and expires_at > :createdAt as was_active`,
          { personId, createdAt, maxPerPerson },
        );
        for (const ended of [...former, ...deleted.filter((one) => one.was_active)])
          await recordAct(trx, { action: 'session.ended', actor, targets: [{ type: 'session', id: ended.id }] });
        await recordAct(trx, {
          action: 'sign_in.succeeded',
          actor,
          targets: [{ type: 'session', id }],
          changes: { method, ...(grant.role && { role: grant.role }) },
        });
        return toSession(row!);
      }),

    async findByHash(hash) {
      const row = await db<SessionRow>('sessions').where({ hash }).first('*');
      return row && toSession(row);
    },

    async noteUse(id, at) {
      await db('sessions').where({ id, ended_at: null }).where('last_used_at', '<', at).update({ last_used_at: at });
    },

    end: (id, at) =>
      db.transaction(async (trx) => {
        const ended = await trx('sessions').where({ id, ended_at: null }).update({ ended_at: at });
        if (ended > 0) await recordAct(trx, { action: 'session.ended', targets: [{ type: 'session', id }] });
      }),

    endAllOfPerson: ({ personId, grant: { key } }, at) =>
      endMany(db, { at, of: 'person' }, { sessions: { person_id: personId }, links: key && ((links) => ofSameKey(links, key)) }),

    endAll: (at) => endMany(db, { at, of: 'everyone' }, { sessions: {}, links: (links) => links }),

    createLoginLink: (hash, { key, createdAt, expiresAt }) =>
      db.transaction(async (trx) => {
        const columns = toColumns(key);
        // One at a time for each key, so that concurrent requests cannot exceed the limit.
        await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 7265636537))', [
          'prefix' in key ? key.prefix : key.rootKeyHash.toString('hex'),
        ]);
        const tooOld = trx('login_links')
          .where(columns)
          .orderBy('created_at', 'desc')
          .offset(maxLinksPerKey - 1);
        await trx('login_links').whereIn('hash', tooOld.select('hash')).delete();
        await trx('login_links').insert({ hash, ...columns, created_at: createdAt, expires_at: expiresAt });
        await recordAct(trx, { action: 'login_link.created' });
      }),

    async findLoginLink(hash, at) {
      const row = await db<LinkRow & { hash: Buffer }>('login_links').where({ hash }).where('expires_at', '>', at).first('*');
      return row && toLink(row);
    },

    async dropExpired(limit) {
      const { rowCount: sessions } = await db.raw<{ rowCount: number }>(
        `delete from sessions where id in (
           select id from sessions where expires_at <= now() order by expires_at limit :limit for update skip locked)`,
        { limit },
      );
      const { rowCount: links } = await db.raw<{ rowCount: number }>(
        `delete from login_links where hash in (
           select hash from login_links where expires_at <= now() order by expires_at limit :limit for update skip locked)`,
        { limit },
      );
      return Math.max(sessions, links);
    },
  };
}

interface EndedParts {
  sessions: { person_id?: string };
  links: ((links: Knex.QueryBuilder) => Knex.QueryBuilder) | undefined;
}

const endMany = (db: Knex, { at, of }: { at: Date; of: 'person' | 'everyone' }, { sessions, links }: EndedParts): Promise<number> =>
  db.transaction(async (trx) => {
    // Before the sessions: this waits for a concurrent sign-in with such a link, so that its new session is ended too.
    const deleted: number = links ? await links(trx('login_links')).delete() : 0;
    const ended = await trx('sessions')
      .where({ ...sessions, ended_at: null })
      .where('expires_at', '>', at)
      .update({ ended_at: at });
    const changes = { of, sessions: ended, ...(deleted > 0 && { login_links: deleted }) };
    if (ended + deleted > 0) await recordAct(trx, { action: 'session.ended', changes });
    return ended;
  });

/** Selects the links of all values of a key: a rotated key has several. */
const ofSameKey = (links: Knex.QueryBuilder, key: KeyOfSession): Knex.QueryBuilder =>
  'prefix' in key
    ? links.whereRaw(
        `key_prefix in (
           select prefix from api_key_values where key_id = (select key_id from api_key_values where prefix = :prefix))`,
        { prefix: key.prefix },
      )
    : links.where({ root_key_hash: key.rootKeyHash });

const toColumns = (key: KeyOfSession): KeyColumns =>
  'prefix' in key ? { key_prefix: key.prefix, root_key_hash: null } : { key_prefix: null, root_key_hash: key.rootKeyHash };

const toKey = ({ key_prefix: prefix, root_key_hash: rootKeyHash }: KeyColumns): KeyOfSession =>
  prefix === null ? { rootKeyHash: rootKeyHash! } : { prefix };

function toRole(text: string): Session['grant'] {
  const [role, fingerprint = ''] = text.split(':');
  return { role: role as RoleName, fingerprint };
}

const toSession = (row: SessionRow): Session => ({
  id: row.id,
  personId: row.person_id,
  personName: row.person_name,
  method: row.method,
  grant: row.role === null ? { key: toKey(row) } : toRole(row.role),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  endedAt: row.ended_at ?? undefined,
});

const toLink = (row: LinkRow): LoginLink => ({ key: toKey(row), createdAt: row.created_at, expiresAt: row.expires_at });
