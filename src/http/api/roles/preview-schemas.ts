import { z } from 'zod';
import { invalid } from '../../../directory/attributes/attribute.ts';
import type { RolePreview } from '../../../directory/roles/preview-roles.ts';
import type { RoleTable } from '../../../directory/roles/role-table.ts';
import { countFields, presentCounts, sampleLimit } from '../preview-fields.ts';
import { count, field, id } from '../schema-fields.ts';
import { roleOptions, roleRows, toTable } from './schemas.ts';

export const previewRequest = z
  .strictObject({
    groups: roleRows
      .nullable()
      .optional()
      .meta({ description: 'Which roles follow from which groups. Null: what removing the role table would change.' }),
    ...roleOptions,
    limit: sampleLimit,
  })
  .meta({ id: 'RolePreviewRequest', description: 'A role table to try. Without `groups`: the present one.' });

/** Undefined: the present table. An option without groups would have no effect. */
export function toPreviewed(given: z.output<typeof previewRequest>): { table: RoleTable | undefined } | undefined {
  const { groups: rows } = given;
  if (rows) return { table: toTable({ ...given, groups: rows }) };
  for (const name of Object.keys(roleOptions) as (keyof typeof roleOptions)[])
    if (given[name] !== undefined) throw invalid(name, 'requires groups');
  return rows === null ? { table: undefined } : undefined;
}

const roles = z.array(z.union([z.string(), z.record(z.string(), z.unknown())]));

export const previewSchema = z
  .strictObject({
    ...countFields,
    unmatched: field(z.array(count), 'The rows whose group does not exist, strongest first, counted from 0.', []),
    samples: z
      .array(
        z.strictObject({
          id: id("The user's ID."),
          role: field(z.string().nullable(), 'The strongest role that the user would have. Null: none, or no role table.', 'editor'),
          roles: field(roles, 'All roles that the user would have: those of the table, or without one, the pushed ones.', ['editor']),
          present_role: field(z.string().nullable(), 'The role that the user has now. Null: none, or there is no role table.', null),
          present_roles: field(roles, 'The roles that the user has now: those of the present table, or the pushed ones.', []),
        }),
      )
      .meta({ description: 'Some of the users.' }),
  })
  .meta({ id: 'RolePreview', description: 'What a role table, or its removal, would change.' });

export const presentPreview = (preview: RolePreview): z.output<typeof previewSchema> => ({
  ...presentCounts(preview),
  unmatched: preview.unmatched,
  samples: preview.samples.map(({ id: userId, roles: next, former }) => ({
    id: userId,
    role: next.role ?? null,
    roles: next.roles ?? [],
    present_role: former.role ?? null,
    present_roles: former.roles ?? [],
  })),
});
