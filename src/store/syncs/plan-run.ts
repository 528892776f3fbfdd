import type { Knex } from 'knex';
import type { Removals, SyncStore } from '../../directory/sync/ports.ts';
import { noCounts, type SyncCounts, type SyncMode } from '../../directory/sync/sync-run.ts';
import { hasDecided, type StoredPlan } from './run-rows.ts';

/**
 * The order in which differences are applied: members are removed before their users are deleted, names become free before they are used
 * again, and users exist before they become members.
 */
export const sections = {
  removeMembers: 1,
  deleteUsers: 2,
  updateUsers: 3,
  createUsers: 4,
  deleteGroups: 5,
  updateGroups: 6,
  createGroups: 7,
  addMembers: 8,
} as const;

type Bindings = Record<string, string>;

/** Compares staged and stored data with one statement per kind, and stores the differences in the order in which they are applied. */
export const planRun =
  (db: Knex): SyncStore['plan'] =>
  (directoryId, runId, pass) =>
    db.transaction(async (trx) => {
      const bindings = { directoryId, runId };
      // Reads the whole directory with hash joins, which may take minutes.
      await trx.raw(`set local enable_seqscan = on`);
      await trx.raw(`set local work_mem = '64MB'`);
      await trx.raw(`set local statement_timeout = '5min'`);
      const run = await trx('sync_runs')
        .where({ directory_id: directoryId, id: runId, state: 'running' })
        .forNoKeyUpdate()
        .first<PlannedRow | undefined>('pass', 'planned', 'confirms', 'mode', 'drift', 'authorization_version', 'upload_id');
      if (!run) return 'stopped';
      const confirmed = await readRemovals(trx, directoryId, run);
      // Another process has compared already, and its differences are being applied.
      if (run.pass >= pass) return { ...run.planned!, confirmed };

      await trx.raw(`delete from sync_changes where directory_id = :directoryId and run_id = :runId`, bindings);
      const plan = await compare(trx, bindings, run.mode ?? 'full');
      const hadLinks =
        run.mode === 'full' &&
        (await trx('directories')
          .where({ id: directoryId, provider_links_version: run.authorization_version })
          .whereNotNull('provider_users_link')
          .first('id')) !== undefined;
      if (hadLinks) plan.hadLinks = true;
      // Differences that a person has confirmed, or that an earlier run could not apply, were counted then.
      const isNewDrift = hadLinks && run.confirms === null && (await wasLastRunComplete(trx, directoryId));
      const drift = isNewDrift ? sumOf(plan.counts) : undefined;
      await trx('sync_runs')
        .where({ directory_id: directoryId, id: runId })
        .update({
          pass,
          phase: 'applying',
          applied_place: 0,
          failed: 0,
          failures: '[]',
          notice: null,
          ...(pass === 1 && { planned: JSON.stringify(plan), drift: drift ?? null }),
        });
      return { ...plan, confirmed, ...(drift !== undefined && { drift }) };
    });

/** Only runs that succeeded, or whose removals need a confirmation or were refused, count. The others decided nothing. */
async function wasLastRunComplete(trx: Knex.Transaction, directoryId: string): Promise<boolean> {
  const last = await trx('sync_runs')
    .where({ directory_id: directoryId })
    .whereRaw(hasDecided('sync_runs'))
    .orderBy('finished_at', 'desc')
    .first<{ state: string; failed: number } | undefined>('state', 'failed');
  return last === undefined || (last.state === 'succeeded' && last.failed === 0);
}

interface PlannedRow {
  pass: number;
  planned: StoredPlan | null;
  confirms: string | null;
  mode: SyncMode | null;
  authorization_version: number | null;
  upload_id: string | null;
}

async function compare(trx: Knex.Transaction, bindings: Bindings, mode: SyncMode): Promise<StoredPlan> {
  // A run without changes must be cheap even if the directory is large.
  if (mode === 'changes' && !(await hasStaged(trx, bindings))) return nothingPlanned;
  await compareResources(trx, bindings, 'users', mode);
  await compareResources(trx, bindings, 'groups', mode);
  await compareMembers(trx, bindings, mode);
  return {
    counts: await countPlanned(trx, bindings),
    removed: await countRemoved(trx, bindings),
    stored: await countStored(trx, bindings),
    largestGroup: await countLargestGroup(trx, bindings),
    mostGroups: await countMostGroups(trx, bindings),
  };
}

const nothing: Removals = { users: 0, groups: 0, members: 0 };
const nothingPlanned: StoredPlan = { counts: noCounts(), removed: nothing, stored: nothing };

async function hasStaged(trx: Knex.Transaction, bindings: Bindings): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ is_any: boolean }] }>(
    `select exists (select from sync_users where run_id = :runId and directory_id = :directoryId)
       or exists (select from sync_groups where run_id = :runId and directory_id = :directoryId) as is_any`,
    bindings,
  );
  return rows[0].is_any;
}

const sumOf = ({ users, groups, members }: SyncCounts) =>
  [users, groups, members].flatMap((counts) => Object.values(counts)).reduce((sum: number, count: number) => sum + count, 0);

/** A place is the number of the section, followed by the position within the section. */
const placeIn = (order: string) =>
  `cast(d.section as bigint) * 1000000000000 + row_number() over (partition by d.section order by ${order})`;

/** An incremental run compares only what the provider reported. */
async function compareResources(trx: Knex.Transaction, bindings: Bindings, table: 'users' | 'groups', mode: SyncMode): Promise<void> {
  const [deleted, updated, created] =
    table === 'users'
      ? [sections.deleteUsers, sections.updateUsers, sections.createUsers]
      : [sections.deleteGroups, sections.updateGroups, sections.createGroups];
  await trx.raw(
    `insert into sync_changes (run_id, directory_id, place, section, operation, external_id, resource_id)
     select :runId, :directoryId, ${placeIn('d.is_renamed desc, d.external_id')}, d.section,
       case d.section when ${deleted} then 'delete' when ${updated} then 'update' else 'create' end, d.external_id, d.id
     from (
       select coalesce(staged.external_id, stored.external_id, '') as external_id, stored.id,
         stored.resource->>'userName' is distinct from staged.resource->>'userName' as is_renamed,
         case when staged.external_id is null then ${deleted} when stored.id is not null then ${updated} else ${created} end as section
       from (select id, external_id, resource from ${table} where directory_id = :directoryId) stored
         ${mode === 'full' ? 'full' : 'right'} join (
           select external_id as reported_id, case when not is_removed then external_id end as external_id, case when not is_removed then resource end as resource
           from sync_${table} where run_id = :runId and directory_id = :directoryId
         ) staged on staged.reported_id = stored.external_id
       where staged.resource is distinct from stored.resource
     ) d`,
    bindings,
  );
}

/** Pending members count as members, under the name that the identity provider sent. */
const storedMembers = `
  select g.external_id as group_external_id, coalesce(u.external_id, n.external_id) as external_id
  from group_members m
    join groups g on g.directory_id = :directoryId and g.id = m.group_id
    left join users u on u.directory_id = :directoryId and u.id = m.member_id and m.kind = 'user'
    left join groups n on n.directory_id = :directoryId and n.id = m.member_id and m.kind = 'group'
  where m.directory_id = :directoryId
  union all
  select g.external_id, p.value from pending_members p join groups g on g.directory_id = :directoryId and g.id = p.group_id
  where p.directory_id = :directoryId`;

/** SQL: an incremental run removes members only from groups that it read, or if the member itself was removed. */
const isReported = `(d.section = ${sections.addMembers}
  or exists (select from sync_groups reported where reported.run_id = :runId and reported.directory_id = :directoryId and reported.external_id = d.group_external_id)
  or exists (select from sync_users reported where reported.run_id = :runId and reported.directory_id = :directoryId and reported.external_id = d.external_id and reported.is_removed)
  or exists (select from sync_groups reported where reported.run_id = :runId and reported.directory_id = :directoryId and reported.external_id = d.external_id and reported.is_removed))`;

/** Ignores groups whose members could not be read. */
async function compareMembers(trx: Knex.Transaction, bindings: Bindings, mode: SyncMode): Promise<void> {
  await trx.raw(
    `insert into sync_changes (run_id, directory_id, place, section, operation, external_id, group_external_id)
     select :runId, :directoryId, ${placeIn('d.group_external_id, d.external_id')}, d.section,
       case d.section when ${sections.addMembers} then 'add' else 'remove' end, d.external_id, d.group_external_id
     from (
       select coalesce(staged.group_external_id, stored.group_external_id) as group_external_id,
         coalesce(staged.external_id, stored.external_id) as external_id,
         case when staged.external_id is null then ${sections.removeMembers} else ${sections.addMembers} end as section
       from (${storedMembers}) stored
         full join (select distinct group_external_id, unnest(external_ids) as external_id from sync_members where run_id = :runId and directory_id = :directoryId) staged
           on staged.group_external_id = stored.group_external_id and staged.external_id = stored.external_id
       where staged.external_id is null or stored.external_id is null
     ) d
     where not exists (
       select from sync_groups gone where gone.run_id = :runId and gone.directory_id = :directoryId and gone.external_id = d.group_external_id and gone.is_gone
     )${mode === 'full' ? '' : `and ${isReported}`}`,
    bindings,
  );
}

async function countPlanned(trx: Knex.Transaction, bindings: Bindings): Promise<SyncCounts> {
  const { rows } = await trx.raw<{ rows: { section: number; count: number }[] }>(
    `select section, count(*) as count from sync_changes where run_id = :runId and directory_id = :directoryId group by section`,
    bindings,
  );
  const of = (section: number) => rows.find((row) => row.section === section)?.count ?? 0;
  return {
    users: { created: of(sections.createUsers), updated: of(sections.updateUsers), deleted: of(sections.deleteUsers) },
    groups: { created: of(sections.createGroups), updated: of(sections.updateGroups), deleted: of(sections.deleteGroups) },
    members: { added: of(sections.addMembers), removed: of(sections.removeMembers) },
  };
}

/**
 * Memberships that end because their user or group is deleted do not count as removals. With `inactive_users: delete`, a
 * deactivation counts as the deletion that it is in events.
 */
async function countRemoved(trx: Knex.Transaction, bindings: Bindings): Promise<Removals> {
  const { rows } = await trx.raw<{ rows: [Removals] }>(
    `with gone as materialized (
       select section, external_id from sync_changes
       where run_id = :runId and directory_id = :directoryId and section in (${sections.deleteUsers}, ${sections.deleteGroups})
     )
     select (select count(*) from gone where section = ${sections.deleteUsers}) + (
         select count(*) from directories d
           join sync_changes c on c.run_id = :runId and c.directory_id = d.id and c.section = ${sections.updateUsers}
           join users u on u.directory_id = d.id and u.id = c.resource_id and u.active
           join sync_users staged on staged.run_id = c.run_id and staged.directory_id = d.id and staged.external_id = c.external_id
         where d.id = :directoryId and d.inactive_users = 'delete' and staged.resource->>'active' = 'false') as users,
       (select count(*) from gone where section = ${sections.deleteGroups}) as groups,
       (select count(*) from sync_changes c
        where run_id = :runId and directory_id = :directoryId and section = ${sections.removeMembers}
          and external_id not in (select external_id from gone)
          and group_external_id not in (select external_id from gone where section = ${sections.deleteGroups})) as members`,
    bindings,
  );
  return rows[0];
}

async function countStored(trx: Knex.Transaction, bindings: Bindings): Promise<Removals> {
  const { rows } = await trx.raw<{ rows: [Removals] }>(
    `select user_count as users, group_count as groups, (select count(*) from (${storedMembers}) stored) as members
     from directories where id = :directoryId`,
    bindings,
  );
  return rows[0];
}

const memberChangesBy = (column: 'group_external_id' | 'external_id') => `(
       select ${column}, count(*) filter (where section = ${sections.addMembers}) as added,
         count(*) filter (where section = ${sections.removeMembers}) as removed
       from sync_changes where run_id = :runId and directory_id = :directoryId and section in (${sections.removeMembers}, ${sections.addMembers})
       group by ${column})`;

async function countLargestGroup(trx: Knex.Transaction, bindings: Bindings): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ members: number | null }] }>(
    `select max(coalesce(g.member_count, 0) + c.added - c.removed) as members
     from ${memberChangesBy('group_external_id')} c left join groups g on g.directory_id = :directoryId and g.external_id = c.group_external_id
     where c.added > c.removed`,
    bindings,
  );
  return rows[0].members ?? 0;
}

async function countMostGroups(trx: Knex.Transaction, bindings: Bindings): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ groups: number | null }] }>(
    `select max(coalesce(stored.groups, 0) + c.added - c.removed) as groups
     from ${memberChangesBy('external_id')} c left join (select external_id, count(*) as groups from (${storedMembers}) members group by external_id) stored using (external_id)
     where c.added > c.removed`,
    bindings,
  );
  return rows[0].groups ?? 0;
}

/** A confirmation holds for the files that it was given for, and for no later ones. */
async function readRemovals(
  trx: Knex.Transaction,
  directoryId: string,
  { confirms, upload_id: uploadId }: Pick<PlannedRow, 'confirms' | 'upload_id'>,
): Promise<Removals | undefined> {
  if (confirms === null) return undefined;
  const run = await trx('sync_runs')
    .where({ directory_id: directoryId, id: confirms, upload_id: uploadId })
    .whereRaw(`error_code is distinct from 'refused'`)
    .first<{ planned: StoredPlan | null } | undefined>('planned');
  return run?.planned?.removed;
}
