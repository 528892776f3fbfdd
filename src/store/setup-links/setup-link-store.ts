import type { Knex } from 'knex';
import { type Narrowing, isNarrowed } from '../../access/narrowing.ts';
import { type LinkKey, type SetupLinkFilter, type SetupLinkStore, hashLinkToken } from '../../directory/setup-links/setup-link.ts';
import { mapPage, toContinuedPage } from '../../directory/page.ts';
import { AppError } from '../../errors.ts';
import { getDirectory } from '../directories/directory-rows.ts';
import { insertDirectory } from '../directories/insert-directory.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { type LinkRow, openLink, recordLinkAct, toColumns } from './link-row.ts';

/** Limits in all and per narrowing, so that one tenant cannot use up the limit of all. */
const maxLinks = 10_000;
const maxNarrowedLinks = 1_000;
const expiredPerStep = 100;

interface SetupLinkStoreDeps {
  db: Knex;
  secretColumns: SecretColumns;
  emitOperatorEvent: EmitOperatorEvent;
}

export function createSetupLinkStore({ db, secretColumns, emitOperatorEvent }: SetupLinkStoreDeps): SetupLinkStore {
  const toLink = (row: LinkRow) => openLink(secretColumns, row);
  return {
    create: (within, link, { ttlMs, replaces }) =>
      db.transaction(async (trx) => {
        // Two requests for the same tenant and product get the same link.
        await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 7265636535))', [link.id]);
        const former = await trx('setup_links')
          .where({ id: link.id })
          .first<(LinkRow & { is_valid: boolean }) | undefined>('*', trx.raw('expires_at > now() as is_valid'));
        if (former?.is_valid && !replaces) return { link: toLink(former), isNew: false };
        await trx('setup_links').where({ id: link.id }).delete();
        await assertBelowLinkLimits(trx, within);
        const [created] = await trx('setup_links')
          .insert({ ...toColumns(secretColumns, link), expires_at: trx.raw(`now() + ? * interval '1 millisecond'`, [ttlMs]) })
          .returning<LinkRow[]>('*');
        await recordLinkAct(trx, 'setup_link.created', created!, {
          expires_at: created!.expires_at.toISOString(),
          ...(former && { replaced: true }),
          ...(link.provider !== undefined && { provider: link.provider }),
          ...(link.revokeOnCompletion && { revoke_on_completion: true }),
          ...(link.roles.length > 0 && { roles: link.roles.join(', ') }),
        });
        return { link: toLink(created!), isNew: true };
      }),

    /** All links are few enough to be looked at. */
    async list(within, page, { state, search } = {}) {
      if (within.directoryId !== undefined) return { resources: [], next: undefined };
      const query = db('setup_links')
        .where(toOwner(within))
        .modify((links) => state && void links.whereRaw(inState[state]))
        .modify((links) => search !== undefined && void links.whereRaw(isFound, { search }))
        .orderBy('place', 'desc')
        .limit(page.limit + 1);
      void ('after' in page ? query.where('place', '<', page.after) : query.offset(page.offset));
      return mapPage(
        toContinuedPage(await query.select<LinkRow[]>('*'), page.limit, ({ place }) => place),
        toLink,
      );
    },

    async get(within, id) {
      if (within.directoryId !== undefined) return undefined;
      const row = await db('setup_links')
        .where({ id, ...toOwner(within) })
        .first<LinkRow | undefined>('*');
      return row && toLink(row);
    },

    async findByToken(token) {
      const row = await db('setup_links')
        .where({ token_hash: hashLinkToken(token) })
        .first<LinkRow | undefined>('*');
      return row && toLink(row);
    },

    revoke: (within, id) =>
      db.transaction(async (trx) => {
        if (within.directoryId !== undefined) return false;
        const [revoked] = await trx('setup_links')
          .where({ id, ...toOwner(within) })
          .delete()
          .returning<LinkRow[]>('*');
        if (revoked) await recordLinkAct(trx, 'setup_link.revoked', revoked);
        return revoked !== undefined;
      }),

    markOpened: (key) =>
      db.transaction(async (trx) => {
        const [opened] = await trx('setup_links')
          .where({ ...toKey(key), opened_at: null })
          .update({ opened_at: trx.fn.now() })
          .returning<LinkRow[]>('*');
        if (opened) await recordLinkAct(trx, 'setup_link.opened', opened);
      }),

    complete: (key, directoryId) =>
      db.transaction(async (trx) => {
        const row = await lockLink(trx, key);
        // A button that is pressed twice sends two requests, and the first may have ended the link.
        if (row && isFinished(row)) return true;
        if (!row?.is_valid) return false;
        if (row.completed_at === null) {
          await trx('setup_links')
            .where(toKey(key))
            .update({ completed_at: trx.fn.now(), ...(row.revoke_on_completion && { expires_at: trx.fn.now() }) });
          await recordLinkAct(trx, 'setup_link.completed', row, { directory_id: directoryId });
          if (row.revoke_on_completion) await recordLinkAct(trx, 'setup_link.revoked', row);
        }
        return true;
      }),

    createDirectory: (key, directory) =>
      db.transaction(async (trx) => {
        const row = await lockOpenLink(trx, key);
        if (!row) return undefined;
        const { tenant, product, type } = directory;
        const found = await trx('directories')
          .where({ tenant: row.tenant, product: row.product, type })
          .orderBy('id', 'desc')
          .first<{ id: string } | undefined>('id');
        if (found) return getDirectory(trx, secretColumns, found.id);
        if (tenant !== row.tenant || product !== row.product) throw new Error('A setup link creates directories of its own tenant only.');
        return insertDirectory({ trx, secrets: secretColumns, emitOperatorEvent }, directory);
      }),

    async dropExpired(limit) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from setup_links where id in (
           select id from setup_links where expires_at < now() - interval '30 days' order by expires_at limit :limit for update skip locked)`,
        { limit },
      );
      return rowCount;
    },
  };
}

const isOpen = 'completed_at is null and expires_at > now()';
const inState: Record<NonNullable<SetupLinkFilter['state']>, string> = {
  not_opened: `${isOpen} and opened_at is null`,
  opened: `${isOpen} and opened_at is not null`,
  completed: 'completed_at is not null',
  expired: 'completed_at is null and expires_at <= now()',
};

/** Without patterns: what somebody types has no special characters. */
const isFound = `(${['tenant', 'product', "coalesce(name, '')"].map((text) => `strpos(lower(${text}), lower(:search)) > 0`).join(' or ')})`;

const toKey = ({ id, token }: LinkKey) => ({ id, token_hash: hashLinkToken(token) });

const toOwner = ({ tenant, product }: Narrowing) => ({
  ...(tenant !== undefined && { tenant }),
  ...(product !== undefined && { product }),
});

/** Requests with the same link wait for each other. Undefined if the link was replaced or revoked. */
const lockLink = (trx: Knex, key: LinkKey) =>
  trx('setup_links')
    .where(toKey(key))
    .forUpdate()
    .first<(LinkRow & { is_valid: boolean }) | undefined>('*', trx.raw('expires_at > now() as is_valid'));

const isFinished = (row: LinkRow): boolean => row.revoke_on_completion && row.completed_at !== null;

/** Also undefined if the link has ended, even if it was completed after this transaction began. */
async function lockOpenLink(trx: Knex, key: LinkKey): Promise<LinkRow | undefined> {
  const row = await lockLink(trx, key);
  return row?.is_valid && !isFinished(row) ? row : undefined;
}

/** Creations wait for each other, so that they cannot exceed the limit together. */
export async function assertBelowLinkLimits(trx: Knex, within: Narrowing): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('setup links', 7265636535))`);
  await assertBelowLimit(trx, {}, { limit: maxLinks, hint: 'Rollcall may have at most' });
  if (isNarrowed(within))
    await assertBelowLimit(trx, within, { limit: maxNarrowedLinks, hint: 'The tenant or product of this API key may have at most' });
}

/** Deletes expired links first, the oldest first, to make room. */
async function assertBelowLimit(trx: Knex, within: Narrowing, { limit, hint }: { limit: number; hint: string }): Promise<void> {
  const links = () => trx('setup_links').where(toOwner(within));
  const [counted] = await links().count<[{ count: number }]>('* as count');
  if (counted!.count < limit) return;
  const expired = links().whereRaw('expires_at <= now()').orderBy('expires_at').limit(expiredPerStep).select('id');
  if ((await trx('setup_links').whereIn('id', expired).delete()) === 0)
    throw new AppError('invalid_request', `${hint} ${limit} setup links that are valid (fixed limit): revoke one first.`);
}
