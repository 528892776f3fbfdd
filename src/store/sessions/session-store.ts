import type { Knex } from 'knex';
import type { RoleName } from '../../access/roles.ts';
import type { KeyOfSession, LoginLink, Session, SessionStore, SignInMethod } from '../../access/session-ports.ts';
import { AppError } from '../../errors.ts';
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
  role: RoleName | null;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  ended_at: Date | null;
}

interface LinkRow extends KeyColumns {
  created_at: Date;
  expires_at: Date;
}

/** Also those that have ended, so that one who signs in and out again and again adds no more. */
const keptPerPerson = 20;
const maxLoginLinks = 1_000;

export function createSessionStore(db: Knex): SessionStore {
  return {
    create: ({ id, personId, personName, method, grant, createdAt, expiresAt }, { hash, formerHash }, actor) =>
      db.transaction(async (trx) => {
        const [row] = await trx<SessionRow>('sessions').insert(
          {
            id,
            hash,
            person_id: personId,
            person_name: personName,
            method,
            role: grant.role ?? null,
            ...(grant.key ? toColumns(grant.key) : { key_prefix: null, root_key_hash: null }),
            created_at: createdAt,
            last_used_at: createdAt,
            expires_at: expiresAt,
          },
          '*',
        );
        if (formerHash) await trx('sessions').where({ hash: formerHash, ended_at: null }).update({ ended_at: createdAt });
        await trx.raw(
          `delete from sessions where id in (
             select id from sessions where person_id = :personId order by created_at desc, id desc offset :keptPerPerson)`,
          { personId, keptPerPerson },
        );
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

    endOfPerson: (personId, at) => endMany(db, { at, of: 'person' }, { person_id: personId }),

    endAll: (at) => endMany(db, { at, of: 'everyone' }, {}),

    createLoginLink: (hash, { key, createdAt, expiresAt }) =>
      db.transaction(async (trx) => {
        const [counted] = await trx('login_links').where('expires_at', '>', createdAt).count<[{ count: number }]>('* as count');
        if (counted!.count >= maxLoginLinks)
          throw new AppError('invalid_request', `There may be at most ${maxLoginLinks} login links (fixed limit): wait until some expire.`);
        await trx('login_links').insert({ hash, ...toColumns(key), created_at: createdAt, expires_at: expiresAt });
        await recordAct(trx, { action: 'login_link.created' });
      }),

    async useLoginLink(hash, at) {
      const [row] = await db<LinkRow & { hash: Buffer }>('login_links').where({ hash }).delete('*');
      return row && row.expires_at > at ? toLink(row) : undefined;
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

const endMany = (db: Knex, { at, of }: { at: Date; of: 'person' | 'everyone' }, where: { person_id?: string }): Promise<number> =>
  db.transaction(async (trx) => {
    const ended = await trx('sessions')
      .where({ ...where, ended_at: null })
      .where('expires_at', '>', at)
      .update({ ended_at: at });
    if (ended > 0) await recordAct(trx, { action: 'session.ended', changes: { of, sessions: ended } });
    return ended;
  });

const toColumns = (key: KeyOfSession): KeyColumns =>
  'prefix' in key ? { key_prefix: key.prefix, root_key_hash: null } : { key_prefix: null, root_key_hash: key.rootKeyHash };

const toKey = ({ key_prefix: prefix, root_key_hash: rootKeyHash }: KeyColumns): KeyOfSession =>
  prefix === null ? { rootKeyHash: rootKeyHash! } : { prefix };

const toSession = (row: SessionRow): Session => ({
  id: row.id,
  personId: row.person_id,
  personName: row.person_name,
  method: row.method,
  grant: row.role === null ? { key: toKey(row) } : { role: row.role },
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  endedAt: row.ended_at ?? undefined,
});

const toLink = (row: LinkRow): LoginLink => ({ key: toKey(row), createdAt: row.created_at, expiresAt: row.expires_at });
