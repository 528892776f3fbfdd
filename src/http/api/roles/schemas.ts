import { z } from 'zod';
import { isPublicId, maxIdLength } from '../../../directory/resources/resource-ids.ts';
import type { DirectoryRoles } from '../../../directory/roles/ports.ts';
import {
  maxGroupNameLength,
  maxGroupRoles,
  maxPriority,
  maxRoleLength,
  pushedRolesOptions,
  type RoleTable,
  toRoleTable,
} from '../../../directory/roles/role-table.ts';
import { presentRecompute, recomputeSchema, repeats } from '../recompute-fields.ts';
import { exampleId, field, id, text } from '../schema-fields.ts';

const role = text.trim().min(1, 'must not be empty').max(maxRoleLength, `may have at most ${maxRoleLength} characters`);

const groupRoleRequest = z
  .strictObject({
    group_id: text
      .max(maxIdLength, `may have at most ${maxIdLength} characters`)
      .refine(isPublicId, 'must be the ID of a group')
      .optional()
      .meta({ description: "The group's ID.", examples: [exampleId] }),
    group_name: text
      .min(1, 'must not be empty')
      .max(maxGroupNameLength, `may have at most ${maxGroupNameLength} characters`)
      .optional()
      .meta({ description: 'The display name of the group, ignoring case. The group may come later.', examples: ['Engineering'] }),
    role: role.meta({ description: 'The role of the direct members of the group.', examples: ['editor'] }),
    priority: z
      .number('must be a number')
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(maxPriority, `may be at most ${maxPriority}`)
      .optional()
      .meta({ description: '1 is the strongest. Given in all rows, or in none: then it is the order of the rows.', examples: [1] }),
  })
  .refine(
    ({ group_id: groupId, group_name: name }) => (groupId === undefined) !== (name === undefined),
    'must have either group_id or group_name',
  );

export const roleRows = z
  .array(groupRoleRequest, 'must be an array')
  .min(1, 'must not be empty')
  .max(maxGroupRoles, `may have at most ${maxGroupRoles} entries`)
  .meta({ description: 'Which roles follow from which groups.' });

export const roleOptions = {
  default_role: role
    .nullable()
    .optional()
    .meta({ description: 'The role of users who have no other; default: null, which is none.', examples: ['member'] }),
  multiple: z
    .boolean('must be true or false')
    .optional()
    .meta({ description: 'Whether users have all their roles, or only the strongest one; default: false.', examples: [false] }),
  pushed_roles: z
    .enum(pushedRolesOptions, `must be one of ${pushedRolesOptions.join(', ')}`)
    .optional()
    .meta({
      description:
        'Whether the roles that the identity provider pushes count, after those of groups; with one role per user, only if no group gives one. Default: `ignore`.',
      examples: ['ignore'],
    }),
};

export const roleTableRequest = z
  .strictObject({ groups: roleRows, ...roleOptions, recompute: repeats })
  .meta({ id: 'RoleTableRequest', description: 'Which roles the users of a directory have.' });

type Requested = Omit<z.output<typeof roleTableRequest>, 'recompute'>;

export const toTable = ({ groups: rows, default_role: defaultRole, multiple, pushed_roles: pushedRoles }: Requested): RoleTable =>
  toRoleTable({
    groups: rows.map(({ group_id: groupId, group_name: groupName, ...row }) => ({ groupId, groupName, ...row })),
    defaultRole,
    multiple,
    pushedRoles,
  });

export const roleTableSchema = z
  .strictObject({
    is_set: field(z.boolean(), 'Whether the directory has a role table. Without one, users have the roles that are pushed.', true),
    groups: z
      .array(
        z.strictObject({
          group_id: field(z.string().nullable(), "The group's ID, if the row names it by that.", null),
          group_name: field(z.string().nullable(), 'The display name of the group, if the row names it by that.', 'Engineering'),
          role: field(z.string(), 'The role of its members.', 'editor'),
          priority: field(z.int(), '1 is the strongest.', 1),
          group: z
            .strictObject({ id: id("The group's ID."), name: field(z.string(), 'Its display name.', 'Engineering') })
            .nullable()
            .meta({ description: 'The group that the row names now. Null: there is none. Of several with one name, the oldest.' }),
        }),
      )
      .meta({ description: 'The rows, the strongest first.' }),
    default_role: field(z.string().nullable(), 'The role of users who have no other. Null: none.', 'member'),
    multiple: field(z.boolean(), 'Whether users have all their roles, or only the strongest one.', false),
    pushed_roles: field(z.enum(pushedRolesOptions), 'Whether the roles that the identity provider pushes count.', 'ignore'),
    recompute: recomputeSchema,
  })
  .meta({ id: 'RoleTable', description: 'Which roles the users of a directory have.' });

export const presentTable = ({ table, groups: found, recompute, users }: DirectoryRoles): z.output<typeof roleTableSchema> => ({
  is_set: table !== undefined,
  groups: (table?.groups ?? []).map(({ groupId, groupName, role: given, priority }, place) => ({
    group_id: groupId ?? null,
    group_name: groupName ?? null,
    role: given,
    priority,
    group: found.get(place) ?? null,
  })),
  default_role: table?.defaultRole ?? null,
  multiple: table?.multiple ?? false,
  pushed_roles: table?.pushedRoles ?? 'include',
  recompute: presentRecompute(recompute, users),
});
