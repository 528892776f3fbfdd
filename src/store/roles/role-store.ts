import type { Knex } from 'knex';
import type { InactiveUsers } from '../../directory/directories/directory.ts';
import { toHiding } from '../../directory/directories/hiding.ts';
import type { RoleStore } from '../../directory/roles/ports.ts';
import type { RoleTable } from '../../directory/roles/role-table.ts';
import { isSameJson } from '../../scim/json.ts';
import { changeRules, type RecomputeRow, recomputeColumns, requestRecomputes, toRecomputeState } from '../attributes/request-recomputes.ts';
import { recordAct } from '../audit/record-act.ts';
import { roleGroups, rolePlacesOf } from '../changes/select-role-places.ts';
import { publicIdOf } from '../resources/public-id.ts';
import { boundValues } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';

interface RolesRow extends RecomputeRow {
  role_table: RoleTable | null;
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
  user_count: number;
}

const boundGroups = roleGroups('cast(:roleTable as jsonb)');

export function createRoleStore(db: Knex): RoleStore {
  return {
    async get(directoryId) {
      const { rows } = await db.raw<{ rows: RolesRow[] }>(
        `select d.role_table, d.inactive_users, d.inactive_users_upto, d.user_count, ${recomputeColumns}
         from directories d left join attribute_recomputes r on r.directory_id = d.id where d.id = :directoryId`,
        { directoryId },
      );
      const [row] = rows;
      if (!row) return undefined;
      const table = row.role_table ?? undefined;
      return {
        hiding: toHiding(row.inactive_users, row.inactive_users_upto),
        table,
        groups: table ? await findGroups(directoryId, table) : new Map(),
        users: row.user_count,
        recompute: toRecomputeState(row),
      };
    },

    set: (directoryId, table, { repeats = false, from } = {}) =>
      changeRules(db, async (trx) => {
        const { rows } = await trx.raw<{ rows: Pick<RolesRow, 'role_table'>[] }>(
          'select role_table from directories where id = :directoryId for no key update',
          { directoryId },
        );
        const [row] = rows;
        if (!row) return undefined;
        const former = row.role_table ?? undefined;
        if (from && !isSameTable(former, from.table)) return { recompute: undefined, isStale: true };
        if (!repeats && isSameTable(former, table)) return { recompute: undefined };
        await trx('all_directories')
          .where({ id: directoryId })
          .update({ role_table: table ? JSON.stringify(table) : null });
        await recordAct(trx, {
          action: 'directory.roles_updated',
          directory: { id: directoryId },
          changes: { roles: { from: describe(former), to: describe(table) } },
        });
        const [recompute] = await requestRecomputes(trx, { directoryId });
        return { recompute };
      }),

    async findPlaces(directoryId, table, userIds) {
      const rows = await runPrepared<{ id: string; places: number[] }>(
        db,
        'role-places',
        () => `with ${boundGroups} ${rolePlacesOf(boundValues('userIds', 'uuid'))}`,
        { directoryId, roleTable: JSON.stringify(table), userIds },
      );
      return new Map(rows.map(({ id, places }) => [id, places]));
    },

    findGroups,
  };

  async function findGroups(directoryId: string, table: RoleTable) {
    const rows = await runPrepared<{ place: number; id: string; name: string }>(
      db,
      'role-groups',
      () =>
        `with ${boundGroups}
         select distinct on (role_groups.place) role_groups.place, ${publicIdOf('g')} as id, g.display_name as name
         from role_groups join groups g on g.directory_id = :directoryId and g.id = role_groups.id
         order by role_groups.place, g.created_at, g.id`,
      { directoryId, roleTable: JSON.stringify(table) },
    );
    return new Map(rows.map(({ place, id, name }) => [place, { id, name }]));
  }
}

const isSameTable = (one: RoleTable | undefined, other: RoleTable | undefined): boolean => isSameJson(one ?? null, other ?? null);

const describe = (table: RoleTable | undefined) =>
  table
    ? {
        groups: table.groups.map(({ groupId, groupName, role, priority }) => ({
          ...(groupId === undefined ? { group_name: groupName } : { group_id: groupId }),
          role,
          priority,
        })),
        default_role: table.defaultRole,
        multiple: table.multiple,
        pushed_roles: table.pushedRoles,
      }
    : null;
