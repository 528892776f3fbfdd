import type { Knex } from 'knex';
import { type AttributeRules, toComputeAttributes } from '../../directory/attributes/compute-attributes.ts';
import type { AttributeMapping } from '../../directory/attributes/source.ts';
import type { DirectoryType } from '../../directory/directories/directory.ts';
import type { User } from '../../directory/resources/user.ts';
import { toShownRoles } from '../../directory/roles/compute-roles.ts';
import type { RoleTable } from '../../directory/roles/role-table.ts';
import { readSchema } from '../attributes/attribute-store.ts';
import { roleGroups } from '../changes/select-role-places.ts';
import { beginRecompute } from '../changes/write-parts/recomputes.ts';

/** What the attributes and roles of imported users follow from. */
export interface ImportedRules {
  /** Undefined if the product has no attribute schema. */
  attributes: AttributeRules | undefined;
  /** Undefined if the directory has no role table. */
  roleTable: RoleTable | undefined;
}

/** Whoever has locked the schema and the directory knows that they do not change until its transaction ends. */
export async function readImportedRules(
  trx: Knex,
  { id, product, type }: { id: string; product: string; type: DirectoryType },
): Promise<ImportedRules> {
  const schema = await readSchema(trx, product);
  const row = await trx('directories')
    .where({ id })
    .first<{ attribute_mapping: AttributeMapping | null; role_table: RoleTable | null } | undefined>('attribute_mapping', 'role_table');
  return {
    attributes: schema.length === 0 ? undefined : { type, schema, mapping: row?.attribute_mapping ?? {} },
    roleTable: row?.role_table ?? undefined,
  };
}

/** The roles are those of a user without groups: its groups are known once it is written, and then it is recomputed. */
export function createDerive({ attributes, roleTable }: ImportedRules): (user: User) => User {
  const compute = attributes && toComputeAttributes(attributes);
  return (user) => {
    const computed = compute?.(user.resource);
    return {
      ...user,
      ...(computed && { customAttributes: computed.customAttributes, lacksRequired: computed.missing.length > 0 }),
      ...(roleTable && { roles: toShownRoles(roleTable, user) }),
    };
  };
}

/**
 * Notes the users whose roles may change: those that join or leave a group that the role table names, and the members of such groups that
 * change. It runs before and after the rows are written, because a group may be renamed. Stored users keep their roles until then.
 */
export async function noteConcerned(trx: Knex.Transaction, directoryId: string, { pushedRoles }: RoleTable): Promise<void> {
  await trx.raw(
    `with ${roleGroups('(select role_table from all_directories where id = :directoryId)')}
     insert into users_to_recompute (directory_id, user_id)
     select cast(:directoryId as uuid), id from (
       select c.id from role_groups join import_changes c on c.kind = 'memberships' and c.group_id = role_groups.id
       union
       select m.member_id from role_groups
         join import_changes c on c.kind = 'groups' and c.id = role_groups.id
         join group_members m on m.directory_id = :directoryId and m.group_id = c.id and m.kind = 'user'
       ${pushedRoles === 'include' ? `union select id from import_changes where kind = 'users' and operation = 'updated'` : ''}
     ) concerned
     on conflict do nothing`,
    { directoryId },
  );
}

/** The sweep starts it. */
export async function recomputeNoted(trx: Knex.Transaction, directoryId: string): Promise<void> {
  await trx.raw(
    beginRecompute(
      'select cast(:directoryId as uuid) as id where exists (select from users_to_recompute where directory_id = :directoryId)',
    ),
    { directoryId },
  );
}
