import type { Knex } from 'knex';
import { limitOf, type Quotas } from '../../directory/quotas.ts';
import type { MembersPage, Staged, SyncStore } from '../../directory/sync/ports.ts';
import { documentBytes } from '../resources/document-bytes.ts';
import { toOwnQuotas } from '../directories/quotas.ts';

type StagingStore = Pick<
  SyncStore,
  | 'stageUsers'
  | 'stageGroups'
  | 'stageMembers'
  | 'markMembersUnknown'
  | 'stageRemoved'
  | 'markUncertain'
  | 'findUnknown'
  | 'findStaged'
  | 'groupsAfter'
>;

interface Stage {
  /** The phases in which items are accepted. The run enters the last one. */
  phases: [string, ...string[]];
  seen: 'users_seen' | 'groups_seen' | 'members_seen';
  listed?: number;
  insert: string;
  items: unknown[];
  /** SQL that counts the items of new rows. Default: the number of rows. */
  counted?: string;
  pages?: number;
}

/** A retried activity stages its page again, so only new items and added bytes are counted. */
export function createStaging(db: Knex, limits: Quotas): StagingStore {
  return {
    stageUsers: (directoryId, runId, { items, listed }) =>
      stage(directoryId, runId, {
        phases: ['users'],
        seen: 'users_seen',
        listed,
        insert: resourcesInto('sync_users'),
        items: newest(items),
      }),

    stageGroups: (directoryId, runId, { items }, phase) =>
      stage(directoryId, runId, {
        phases: phase ? [phase] : ['users', 'groups'],
        seen: 'groups_seen',
        insert: resourcesInto('sync_groups'),
        items: newest(items),
      }),

    /** Stores a page as one row. Half a million rows would need as many foreign key checks. */
    stageMembers: (directoryId, runId, pages) =>
      stage(directoryId, runId, {
        phases: ['groups', 'members'],
        seen: 'members_seen',
        insert: `insert into sync_members (run_id, directory_id, group_external_id, first_external_id, external_ids, bytes, added_bytes)
          select run.id, run.directory_id, page ->> 'group', page #>> '{externalIds,0}', ids, ${bytesOf('ids')}, ${bytesOf('ids')}
          from run, jsonb_array_elements(cast(:items as jsonb)) page,
            lateral (select array(select jsonb_array_elements_text(page -> 'externalIds')) as ids) listed
          on conflict (run_id, group_external_id, first_external_id) do update
            set (external_ids, bytes, added_bytes) = (
              select ids, ${bytesOf('ids')}, ${bytesOf('ids')} - sync_members.bytes
              from (select array(select distinct unnest(sync_members.external_ids || excluded.external_ids)) as ids) merged)
          returning xmax = 0 as is_new, cardinality(external_ids) as size, added_bytes`,
        counted: 'coalesce(sum(size), 0)',
        pages: pages.length,
        items: mergePages(pages),
      }),

    async markUncertain(directoryId, runId) {
      await db('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running' }).update({ is_uncertain: true });
    },

    async stageRemoved(directoryId, runId, kind, externalIds) {
      await db.raw(
        `insert into sync_${kind} (run_id, directory_id, external_id, resource, is_removed)
         select r.id, r.directory_id, gone.id, '{}', true
         from sync_runs r, (select distinct unnest(cast(:externalIds as text[])) as id) gone
         where r.directory_id = :directoryId and r.id = :runId and r.state = 'running' and r.pass = 0
         on conflict (run_id, external_id) do update set is_removed = true`,
        { directoryId, runId, externalIds },
      );
    },

    async findUnknown(directoryId, kind, externalIds) {
      const { rows } = await db.raw<{ rows: { id: string }[] }>(
        `select requested.id from unnest(cast(:externalIds as text[])) as requested(id)
         where not exists (select from ${kind} known where known.external_id = requested.id and known.directory_id = :directoryId)
           or not coalesce((
             select last.state = 'succeeded' and last.failed = 0 from sync_runs last
             where last.directory_id = :directoryId and last.state not in ('queued', 'running')
             order by last.requested_at desc limit 1
           ), false)`,
        { directoryId, externalIds },
      );
      return rows.map(({ id }) => id);
    },

    findStaged: (directoryId, runId, kind, externalIds) =>
      db(`sync_${kind}`)
        .where({ run_id: runId, directory_id: directoryId })
        .whereIn('external_id', externalIds)
        .pluck<string[]>('external_id'),

    async markMembersUnknown(directoryId, runId, group) {
      await db('sync_groups').where({ run_id: runId, directory_id: directoryId, external_id: group }).update({ is_gone: true });
    },

    async groupsAfter(directoryId, runId, after, limit) {
      const { rows } = await db.raw<{ rows: { external_id: string }[] }>(
        `select external_id from sync_groups where run_id = :runId and directory_id = :directoryId and external_id > :after and not is_gone and not is_removed
         order by external_id limit :limit`,
        { directoryId, runId, after, limit },
      );
      return rows.map((row) => row.external_id);
    },
  };

  async function stage(
    directoryId: string,
    runId: string,
    { phases, seen, listed = 0, pages = 1, counted = 'count(*)', insert, items }: Stage,
  ): Promise<Staged> {
    const { rows } = await db.raw<{ rows: { staged_bytes: number; quotas: Record<string, number> | null }[] }>(
      `with run as (
         select id, directory_id from sync_runs
         where directory_id = :directoryId and id = :runId and state = 'running' and phase = any(cast(:phases as text[])) for no key update
       ), staged as (${insert})
       update sync_runs r set phase = :phase, pages = pages + cast(:pages as int), users_listed = users_listed + :listed, notice = null,
         ${seen} = ${seen} + (select ${counted} from staged where is_new), starts = case when exists (select from staged where is_new) then 0 else starts end,
         staged_bytes = staged_bytes + (select coalesce(sum(added_bytes), 0) from staged)
       from run join directories d on d.id = run.directory_id where r.directory_id = run.directory_id and r.id = run.id
       returning r.staged_bytes + ${bytesOfOtherRuns} as staged_bytes, d.quotas`,
      { directoryId, runId, phases, phase: phases.at(-1)!, listed, items: JSON.stringify(items), pages },
    );
    const [row] = rows;
    if (!row) return 'stopped';
    return row.staged_bytes > limitOf({ limits, own: toOwnQuotas(row.quotas) }, 'stagedBytes') ? 'full' : 'staged';
  }
}

/**
 * What ended runs of the directory have staged and `clear` has not deleted yet. Run `r` is not
 * counted: a statement that updates it reads its old row.
 */
export const bytesOfOtherRuns = `(select coalesce(cast(sum(other.staged_bytes) as bigint), 0) from sync_runs other
  where other.directory_id = r.directory_id and not other.is_cleared and other.id <> r.id)`;

const resourcesInto = (table: 'sync_users' | 'sync_groups') =>
  `insert into ${table} (run_id, directory_id, external_id, resource, pushed, bytes, added_bytes)
   select run.id, run.directory_id, item."externalId", item.resource, item.pushed, size.bytes, size.bytes
   from run, jsonb_to_recordset(cast(:items as jsonb)) as item("externalId" text, resource jsonb, pushed jsonb),
     lateral (select ${documentBytes} as bytes) size
   on conflict (run_id, external_id) do update
     set resource = excluded.resource, pushed = excluded.pushed, bytes = excluded.bytes, added_bytes = excluded.bytes - ${table}.bytes, is_removed = false
   returning xmax = 0 as is_new, added_bytes`;

const bytesOf = (ids: string) => `octet_length(array_to_string(${ids}, ','))`;

/** `on conflict` accepts each ID only once per statement. */
const newest = <Item extends { externalId: string }>(items: Item[]) => [...new Map(items.map((item) => [item.externalId, item])).values()];

/** If a list changes while it is read, two pages may begin with the same member. Merges such pages. */
function mergePages(pages: MembersPage[]): MembersPage[] {
  const merged = new Map<string, { group: string; members: Set<string> }>();
  for (const { group, externalIds } of pages) {
    const [first] = externalIds;
    if (first === undefined) continue;
    const key = JSON.stringify([group, first]);
    const members = merged.get(key)?.members ?? new Set();
    for (const id of externalIds) members.add(id);
    merged.set(key, { group, members });
  }
  return [...merged.values()].map(({ group, members }) => ({ group, externalIds: [...members] }));
}

const stagedTables = ['sync_changes', 'sync_members', 'sync_groups', 'sync_users'];

/**
 * Deletes a limited number of rows by `ctid`, which needs no join. Postgres' statistics are
 * unreliable for tables that fill and empty within minutes.
 */
export const clearRuns =
  (db: Knex): SyncStore['clear'] =>
  async (directoryId, limit) => {
    const run = await db('sync_runs')
      .where({ directory_id: directoryId, is_cleared: false })
      .whereNotIn('state', ['queued', 'running'])
      .first<{ id: string } | undefined>('id');
    if (!run) return false;
    for (const table of stagedTables) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from ${table} where directory_id = :directoryId
           and ctid = any(array(select ctid from ${table} where run_id = :runId and directory_id = :directoryId limit :limit))`,
        { directoryId, runId: run.id, limit },
      );
      if (rowCount === limit) return true;
    }
    await db('sync_runs').where({ directory_id: directoryId, id: run.id }).update({ is_cleared: true });
    return true;
  };
