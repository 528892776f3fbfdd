import type { Knex } from 'knex';
import type { DirectoryChange } from '../../directory/directories/directory.ts';
import type { DirectoryStore } from '../../directory/ports.ts';
import { defaultQuotas, type Quotas } from '../../directory/quotas.ts';
import { AppError } from '../../errors.ts';
import { lowestId } from '../../ids.ts';
import { assertAccountIsFree } from '../syncs/authorization-store.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { describeChanges } from '../../audit/describe-changes.ts';
import { recordAct } from '../audit/record-act.ts';
import { type DirectoryRow, getDirectory, selectDirectories, toColumns, toDirectory } from './directory-rows.ts';
import { insertDirectory } from './insert-directory.ts';
import { setWebhook } from './set-webhook.ts';
import { readDirectoryHealth } from './directory-health.ts';
import { startOfHour } from '../../directory/activity/activity.ts';
import { readDirectoryHours } from '../activity/directory-hours.ts';
import { createReadOverview } from './overview.ts';
import { type FailingColumns, lastAttemptErrorColumn } from '../deliveries/failing.ts';
import { type HealthColumns, type StaleAfterMs, healthColumns, healthSources, healthStatusOf, toHealthSummary } from './health-status.ts';
import { beginRemoval } from './begin-removal.ts';
import { countBefore, countConfirmed, emitInactiveUsers } from './emit-inactive-users.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { shareQueries } from '../sql/share-queries.ts';
import { toDirectoryKey } from '../../directory/directories/former-ids.ts';
import { mapPage } from '../../directory/page.ts';
import { pageById } from '../sql/page-by-id.ts';

type ListedRow = DirectoryRow & HealthColumns & Pick<FailingColumns, 'last_attempt_error'>;

type FormerRow = Pick<
  DirectoryRow,
  | 'tenant'
  | 'deactivated'
  | 'inactive_users'
  | 'inactive_users_upto'
  | 'revision'
  | 'google_authorization_version'
  | 'provider_account'
  | 'on_directory_delete'
  | 'removing_at'
> & {
  provider_account_unread: boolean;
} & { quotas: Record<string, number> | null };

interface AccessRow {
  id: string;
  deactivated: boolean;
  secrets: [id: string, sealed: string, isNoted: boolean][] | null;
  tokens: [hash: string, expiresAtMs: number][] | null;
}

const selectorColumns = { directoryId: 'id', tenant: 'tenant', product: 'product' } as const;
const selectorFields = Object.keys(selectorColumns) as (keyof typeof selectorColumns)[];

export function createDirectoryStore(
  db: Knex,
  secrets: SecretColumns,
  emitOperatorEvent: EmitOperatorEvent,
  { staleAfterMs, quotas = defaultQuotas }: { staleAfterMs?: StaleAfterMs; quotas?: Quotas } = {},
): DirectoryStore {
  return {
    get: (id) => getDirectory(db, secrets, id),

    getScimAccess: shareQueries(async (ids) => {
      const rows = await runPrepared<AccessRow>(
        db,
        'scim-access',
        () =>
          `select id, deactivated, case when accept_scim_secret then (${validScimSecrets}) end as secrets, (${validAccessTokens}) as tokens
           from directories where id = any(cast(:ids as uuid[]))`,
        { ids },
      );
      return new Map(
        rows.map(({ id, deactivated, secrets: sealed, tokens }) => [
          id,
          {
            directoryId: id,
            deactivated,
            isFresh: true,
            secrets: (sealed ?? []).map(([secretId, secret, isNoted]) => ({
              id: secretId,
              secret: secrets.open(id, 'scim_secret', secret),
              isUseNoted: isNoted,
            })),
            tokens: (tokens ?? []).map(([hash, expiresAtMs]) => ({ hash: Buffer.from(hash, 'hex'), expiresAtMs })),
          },
        ]),
      );
    }),

    // Prepared: each read of users and groups by the JSON API begins with it.
    async findIds(selector) {
      const values: Partial<Record<keyof typeof selectorColumns, string>> = selector;
      const fields = selectorFields.filter((field) => values[field] !== undefined);
      const rows = await runPrepared<{ id: string }>(
        db,
        `ids of directories by ${fields.join()}`,
        () => `select id from directories where ${fields.map((field) => `${selectorColumns[field]} = :${field}`).join(' and ')}`,
        Object.fromEntries(fields.map((field) => [field, values[field]!])),
      );
      return rows.map(({ id }) => id);
    },

    async count({ directoryId, ...owner }, products) {
      const [counted] = await db('directories')
        .where({ ...(directoryId !== undefined && { id: directoryId }), ...owner })
        .modify((query) => products && void query.whereRaw('product = any(cast(:products as text[]))', { products }))
        .count<[{ count: number }]>('* as count');
      return counted!.count;
    },

    health: (id) => readDirectoryHealth(db, id, staleAfterMs),
    overview: createReadOverview(db, staleAfterMs),

    activity: async (id) =>
      (await readDirectoryHours(db, id)).map((row) => ({
        startsAt: startOfHour(row.hour),
        pushes: row.pushes,
        rejectedPushes: row.rejected_pushes,
        events: row.events,
        failedAttempts: row.failed_attempts,
      })),

    async list({ directoryId, ...owner }, page, { among, type, search } = {}) {
      const directories = selectDirectories(db)
        .select<ListedRow[]>(db.raw(`${healthColumns(staleAfterMs)}, ${lastAttemptErrorColumn}`))
        .joinRaw(healthSources)
        .modify((query) => among && void query.whereRaw(`${healthStatusOf(staleAfterMs)} = any(cast(:among as text[]))`, { among }))
        .modify((query) => search !== undefined && void query.whereRaw(isFound, { search, key: toDirectoryKey(search) }))
        .where({ ...(directoryId !== undefined && { 'd.id': directoryId }), ...(type !== undefined && { 'd.type': type }), ...owner });
      return mapPage(await pageById<ListedRow>(directories, 'd.id', page), (row) => ({
        directory: toDirectory(row, secrets),
        health: toHealthSummary(row),
      }));
    },

    create: (directory) => db.transaction((trx) => insertDirectory({ trx, secrets, emitOperatorEvent }, directory)),

    async update(id, change) {
      const counted = await countBefore(db, id, change);
      return db.transaction(async (trx) => {
        const former = await trx('directories')
          .where({ id })
          .forNoKeyUpdate()
          .first<FormerRow | undefined>(
            'tenant',
            'deactivated',
            'inactive_users',
            'inactive_users_upto',
            'revision',
            'google_authorization_version',
            'provider_account',
            'provider_account_unread',
            'quotas',
            'on_directory_delete',
            'removing_at',
          );
        if (
          !former ||
          (change.ifAuthorizationVersion !== undefined && change.ifAuthorizationVersion !== former.google_authorization_version)
        )
          return undefined;
        if (former.removing_at) assertStaysRemoved(change, former);
        const { account } = change.connection ?? {};
        if (change.boundByConsent && account !== undefined) await assertAccountIsFree(trx, former, account);
        const isUnread =
          account !== undefined && account === former.provider_account ? former.provider_account_unread : change.boundByConsent === true;
        const before = await getDirectory(trx, secrets, id);
        const { inactiveUsers = former.inactive_users } = change;
        const isSwitched = inactiveUsers !== former.inactive_users;
        if (isSwitched && former.inactive_users_upto !== null) throw stillChanging();
        const needsBatches = isSwitched && (await emitInactiveUsers(trx, id, { inactiveUsers, limits: quotas, ...(await recount()) }));
        await trx('directories')
          .where({ id })
          .update({
            ...toColumns(id, change, secrets),
            ...(needsBatches && { inactive_users_upto: lowestId, batches_at: trx.fn.now() }),
            ...(change.connection && { google_authorization_version: trx.raw('google_authorization_version + 1') }),
            ...(account !== undefined && { provider_account_unread: isUnread }),
            ...(isReauthorized(change) && { google_authorization_error: null }),
            updated_at: trx.fn.now(),
          });
        const { deactivated = former.deactivated } = change;
        if (deactivated !== former.deactivated) await emitOperatorEvent(trx, deactivated ? 'dsync.deactivated' : 'dsync.activated', id);
        if (change.webhook !== undefined) await setWebhook({ trx, secrets, emitOperatorEvent }, id, change.webhook);
        if (change.legacySignatures !== undefined)
          await trx('webhook_endpoints').where({ directory_id: id }).update({ legacy_signatures: change.legacySignatures });
        await recordAct(trx, {
          action: isAuthorizedOnly(change) ? 'directory.authorized' : 'directory.updated',
          directory: before,
          changes: describeChanges(before && { ...before, quotas: former.quotas }, change),
        });
        return getDirectory(trx, secrets, id);

        function recount() {
          const isTrue = counted !== undefined && counted.revision === former!.revision;
          return isTrue ? counted.events : countConfirmed(trx, id, { inactiveUsers, confirmed: change.confirmedEvents });
        }
      });
    },

    remove: (id, removal = {}) => db.transaction((trx) => beginRemoval(trx, id, { ...removal, emitOperatorEvent })),
  };
}

/** Without patterns: what somebody types has no special characters. */
const isFound = `(${['name', 'tenant', 'product'].map((column) => `strpos(lower(d.${column}), lower(:search)) > 0`).join(' or ')} or cast(d.id as text) = lower(:key))`;

/** Each secret with a flag that says whether its use was recorded within the last minute. */
const validScimSecrets = `select json_agg(json_build_array(s.id, s.secret, coalesce(s.last_used_at > now() - interval '1 minute', false)))
  from scim_secrets s where s.directory_id = directories.id and (s.expires_at is null or s.expires_at > now())`;

const validAccessTokens = `select json_agg(json_build_array(encode(t.hash, 'hex'), floor(extract(epoch from t.expires_at) * 1000)))
  from scim_access_tokens t where t.directory_id = directories.id and t.expires_at > now()`;

const stillChanging = () =>
  new AppError('invalid_request', 'inactive_users is being changed: its events are still emitted. Change it again once that has ended.', {
    field: 'inactive_users',
  });

/** Events of the deletion were sent. The webhook may be corrected, so that it gets the others. What is sent as it was read changes nothing. */
function assertStaysRemoved({ deactivated, inactiveUsers, onDirectoryDelete }: DirectoryChange, former: FormerRow): void {
  const field =
    deactivated === false
      ? 'deactivated'
      : (inactiveUsers ?? former.inactive_users) !== former.inactive_users
        ? 'inactive_users'
        : (onDirectoryDelete ?? former.on_directory_delete) !== former.on_directory_delete
          ? 'on_directory_delete'
          : undefined;
  if (field) throw new AppError('invalid_request', `The directory is being deleted: ${field} cannot be changed.`, { field });
}

const isAuthorizedOnly = (change: DirectoryChange) =>
  isReauthorized(change) && Object.keys(change).every((name) => ['connection', 'boundByConsent', 'ifAuthorizationVersion'].includes(name));

const isReauthorized = ({ connection }: DirectoryChange) =>
  connection?.accessToken !== undefined ||
  connection?.refreshToken !== undefined ||
  connection?.adminEmail !== undefined ||
  connection?.serviceAccountKey !== undefined ||
  connection?.account !== undefined;
