import type { Knex } from 'knex';
import type { ReportedStatus } from '../../directory/delivery/ports.ts';
import type { SyncState } from '../../directory/sync/sync-run.ts';
import type { DirectoryHealth } from '../../directory/ports.ts';
import {
  type HistoryTotalsRow,
  type QuotaRow,
  historyTotals,
  quotaColumns,
  toHistoryBytes,
  toOwnQuotas,
  toUndeliveredBytes,
  toUsage,
} from './quotas.ts';
import { reportedStatus } from '../deliveries/delivery-state.ts';
import { type FailingColumns, failingColumns, toFailing } from '../deliveries/failing.ts';
import { type HealthColumns, type StaleAfterMs, healthColumns, healthSources, toHealthSummary } from './health-status.ts';
import type { DirectoryType } from '../../directory/directories/directory.ts';

interface HealthRow extends QuotaRow, HistoryTotalsRow, HealthColumns, FailingColumns {
  type: DirectoryType;
  acked_sequence: number;
  requires_attributes: boolean;
  largest_group: number | null;
  most_groups: number | null;
  replays: number;
  status: ReportedStatus;
  staged_bytes: number | null;
  status_reason: string | null;
  last_success_at: Date | null;
  last_push_at: Date | null;
  last_error: DirectoryHealth['lastError'] | null;
  secret_rejected_at: Date | null;
  sync: { id: string; state: SyncState; at: string; last_success_at: string | null; error: string | null } | null;
  secrets: { id: string; created_at: string; expires_at: string | null; last_used_at: string | null }[] | null;
}

/** Above this number, the members of the largest group are omitted: each page of the console would read all groups. */
const maxReadGroups = 1_000;

/** Above this number, counting the groups of each member takes too long and is omitted. */
const maxCountedMemberships = 10_000;

/** More are not counted: the header of each page of the console shows the number. */
const maxCountedUsers = 10_001;

/** Reads everything in one statement, so that it is consistent. Only where attributes are required are users counted that lack one. */
export async function readDirectoryHealth(
  db: Knex,
  directoryId: string,
  staleAfterMs?: StaleAfterMs,
): Promise<DirectoryHealth | undefined> {
  const { rows } = await db.raw<{ rows: HealthRow[] }>(
    `select d.type, ${healthColumns(staleAfterMs)}, ${failingColumns}, ${quotaColumns}, ${historyTotals}, ${reportedStatus} as status, e.status_reason, e.last_success_at,
       p.last_push_at, p.last_error, p.secret_rejected_at,
       exists (select from attribute_schemas a cross join jsonb_array_elements(a.attributes) one where a.product = d.product and one ->> 'required' = 'true') as requires_attributes,
       case when d.group_count <= ${maxReadGroups} then (select coalesce(max(member_count), 0) from groups where directory_id = d.id) end as largest_group,
       case when d.membership_count <= ${maxCountedMemberships} then (
         select coalesce(max(groups), 0) from (select count(*) as groups from group_members where directory_id = d.id group by member_id) of_each
       ) end as most_groups,
       (select count(*) from webhook_replays where endpoint_id = e.id and status = 'running') as replays,
       (select cast(sum(staged_bytes) as bigint) from sync_runs where directory_id = d.id and not is_cleared) as staged_bytes,
       (select json_build_object('id', r.id, 'state', r.state, 'at', coalesce(r.finished_at, r.started_at, r.requested_at), 'error', r.error,
          'last_success_at', (select max(finished_at) from sync_runs where directory_id = d.id and state = 'succeeded'))
        from sync_runs r where r.directory_id = d.id order by r.requested_at desc limit 1) as sync,
       (select json_agg(json_build_object('id', id, 'created_at', created_at, 'expires_at', expires_at, 'last_used_at', last_used_at)
          order by created_at desc) from scim_secrets s
        where s.directory_id = d.id and (s.expires_at is null or s.expires_at > clock_timestamp())) as secrets
     from directories d join webhook_endpoints e on e.directory_id = d.id ${healthSources}
     where d.id = :directoryId`,
    { directoryId },
  );
  const [row] = rows;
  return row && toHealth(row, row.requires_attributes ? await countLackingRequired(db, directoryId) : 0);
}

async function countLackingRequired(db: Knex, directoryId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*) as count from (select from users where directory_id = :directoryId and lacks_required limit ${maxCountedUsers}) counted`,
    { directoryId },
  );
  return rows[0].count;
}

const toHealth = (row: HealthRow, lackingRequired: number): DirectoryHealth => ({
  ...toHealthSummary(row),
  lastPushAt: row.last_push_at ?? undefined,
  lastError: row.last_error ?? undefined,
  secretRejectedAt: row.secret_rejected_at ?? undefined,
  users: row.user_count,
  groups: row.group_count,
  lackingRequired,
  used: {
    ...toUsage(row),
    groupMembers: row.largest_group ?? undefined,
    groupsPerMember: row.most_groups ?? undefined,
    undeliveredBytes: toUndeliveredBytes(row),
    historyBytes: Math.max(...Object.values(toHistoryBytes(row))),
    stagedBytes: row.staged_bytes ?? 0,
    replays: row.replays,
  },
  ownQuotas: toOwnQuotas(row.quotas),
  scimSecrets: (row.secrets ?? []).map((secret) => ({
    id: secret.id,
    createdAt: new Date(secret.created_at),
    expiresAt: secret.expires_at === null ? undefined : new Date(secret.expires_at),
    lastUsedAt: secret.last_used_at === null ? undefined : new Date(secret.last_used_at),
  })),
  sync: row.sync
    ? {
        runId: row.sync.id,
        state: row.sync.state,
        at: new Date(row.sync.at),
        lastSuccessAt: row.sync.last_success_at === null ? undefined : new Date(row.sync.last_success_at),
        error: row.sync.error ?? undefined,
      }
    : undefined,
  delivery: {
    status: row.status,
    reason: row.status_reason ?? undefined,
    backlog: row.last_sequence - row.acked_sequence,
    lastSuccessAt: row.last_success_at ?? undefined,
    ...toFailing(row),
  },
});
