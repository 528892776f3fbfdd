import type { Knex } from 'knex';
import type { SyncStore } from '../../directory/sync/ports.ts';
import type { PlannedChange } from '../../directory/sync/sync-run.ts';
import type { JsonObject } from '../../scim/json.ts';
import type { Pushed } from '../../scim/pushed.ts';
import { documentWeight, exactDocumentWeight } from '../resources/pushed-column.ts';
import { sections } from './plan-run.ts';

/** Limits for one transaction. Larger batches save time, but lock the directory for longer. */
const resourcesPerBatch = 1_000;
const membersPerBatch = 2_000;
/** Limits the memory of a batch of users or groups, in bytes: the staged and the stored versions. A batch has at least one of them. */
const maxBatchWeight = 8_388_608;
/** The same of the users whose memberships change: an event has a copy of its user. */
const maxMembersWeight = 33_554_432;
const maxFailures = 20;

interface ChangeRow {
  place: number;
  section: number;
  operation: PlannedChange['operation'];
  external_id: string;
  group_external_id: string | null;
  group_id: string | null;
  resource_id: string | null;
  resource: JsonObject | null;
  pushed: Pushed | null;
}

const kindOf = (section: number) =>
  section === sections.removeMembers || section === sections.addMembers ? 'member' : section <= sections.createUsers ? 'user' : 'group';

export const nextChanges =
  (db: Knex): SyncStore['nextChanges'] =>
  async (directoryId, runId) => {
    // Selects by the run only. With the directory, Postgres would sort all remaining changes.
    const { rows } = await db.raw<{ rows: { pass: number; failed: number; place: number | null; section: number | null }[] }>(
      `select r.pass, r.failed, next.place, next.section
       from sync_runs r join directories d on d.id = r.directory_id and not d.deactivated left join lateral (
         select place, section from sync_changes where run_id = r.id and place > r.applied_place order by place limit 1
       ) next on true
       where r.directory_id = :directoryId and r.id = :runId and r.state = 'running'`,
      { directoryId, runId },
    );
    const [run] = rows;
    if (!run) return 'stopped';
    const { pass, failed, place, section } = run;
    const changes = place === null || section === null ? [] : await readChanges(db, { directoryId, runId, from: place, section });
    return { pass, failed, changes };
  };

/** Places within a section have no gaps, so a batch is a range of places. It ends early if it would take too much memory. */
async function readChanges(
  db: Knex,
  { directoryId, runId, from, section }: { directoryId: string; runId: string; from: number; section: number },
): Promise<PlannedChange[]> {
  const kind = kindOf(section);
  const { rows } = await db.raw<{ rows: ChangeRow[] }>(
    `select * from (
       select c.place, c.section, c.operation, c.external_id, c.group_external_id, c.resource_id,
         ${
           kind === 'member'
             ? `g.id as group_id, null as resource, null as pushed,
               coalesce(sum(coalesce(stored.weight, 0)) over (order by c.place rows between unbounded preceding and 1 preceding), 0) as weight_before`
             : `null as group_id, s.resource, s.pushed, coalesce(sum(coalesce(${exactDocumentWeight('s.', 'groups')}, 0) + coalesce(stored.weight, 0))
                 over (order by c.place rows between unbounded preceding and 1 preceding), 0) as weight_before`
         }
       from sync_changes c
         ${
           kind === 'member'
             ? `left join groups g on g.directory_id = :directoryId and g.external_id = c.group_external_id
                left join lateral (
                  select ${documentWeight('u', 'users')} as weight from users u where u.directory_id = :directoryId and u.external_id = c.external_id
                  offset 0
                ) stored on true`
             : `left join sync_${kind}s s on s.run_id = c.run_id and s.external_id = c.external_id
                left join lateral (
                  select ${exactDocumentWeight('', `${kind}s`)} as weight from ${kind}s where directory_id = :directoryId and id = c.resource_id offset 0
                ) stored on true`
         }
       where c.run_id = :runId and c.directory_id = :directoryId and c.place >= :from and c.place < :before
     ) batch where weight_before < :maxWeight order by place`,
    {
      directoryId,
      runId,
      from,
      before: from + (kind === 'member' ? membersPerBatch : resourcesPerBatch),
      maxWeight: kind === 'member' ? maxMembersWeight : maxBatchWeight,
    },
  );
  return rows.map((row) => ({
    place: row.place,
    kind,
    operation: row.operation,
    externalId: row.external_id,
    ...(row.group_external_id !== null && { groupExternalId: row.group_external_id }),
    ...(row.group_id !== null && { groupId: row.group_id }),
    ...(row.resource_id !== null && { resourceId: row.resource_id }),
    ...(row.resource !== null && { resource: row.resource }),
    ...(row.pushed !== null && { pushed: row.pushed }),
  }));
}

export const concludeChanges =
  (db: Knex): SyncStore['conclude'] =>
  async (directoryId, runId, { pass, upToPlace, counts: { users, groups, members }, failures }) => {
    await db.raw(
      `update sync_runs set applied_place = :upToPlace, notice = null, starts = 0,
         users_created = users_created + :usersCreated, users_updated = users_updated + :usersUpdated, users_deleted = users_deleted + :usersDeleted,
         groups_created = groups_created + :groupsCreated, groups_updated = groups_updated + :groupsUpdated, groups_deleted = groups_deleted + :groupsDeleted,
         members_added = members_added + :membersAdded, members_removed = members_removed + :membersRemoved,
         failed = failed + :failed,
         failures = case when jsonb_array_length(failures) < :maxFailures then failures || cast(:failures as jsonb) else failures end
       where directory_id = :directoryId and id = :runId and state = 'running' and pass = :pass and applied_place < :upToPlace`,
      {
        directoryId,
        runId,
        pass,
        upToPlace,
        usersCreated: users.created,
        usersUpdated: users.updated,
        usersDeleted: users.deleted,
        groupsCreated: groups.created,
        groupsUpdated: groups.updated,
        groupsDeleted: groups.deleted,
        membersAdded: members.added,
        membersRemoved: members.removed,
        failed: failures.length,
        maxFailures,
        failures: JSON.stringify(failures.slice(0, maxFailures)),
      },
    );
  };
