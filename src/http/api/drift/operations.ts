import { z } from 'zod';
import { maxMissing, maxReconciledItems, reconciledTypes } from '../../../directory/drift/reconcile.ts';
import { maxIdLength } from '../../../directory/resources/resource-ids.ts';
import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { exampleId, field, shortText, text } from '../schema-fields.ts';

const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const ownId = text.max(maxIdLength, `may have at most ${maxIdLength} characters`);

const reconcileRequest = z
  .object({
    type: z
      .enum(reconciledTypes, 'must be users, groups or members')
      .meta({ description: 'The kind of items to compare.', examples: ['users'] }),
    group_id: shortText.optional().meta({ description: 'The group whose members are compared. Only for `members`.' }),
    after: ownId.default('').meta({ description: 'The `next_after` of the previous response; empty at first.', examples: [''] }),
    items: z
      .array(
        z.strictObject({
          id: ownId.min(1, 'must not be empty').meta({ description: 'The ID in your tables.', examples: [exampleId] }),
          hash: z
            .string('must be a string')
            .regex(/^[\da-f]{64}$/i, 'must be a SHA-256 in hexadecimal')
            .optional()
            .meta({ description: 'The SHA-256 of your fields. Without it, only the ID is compared.', examples: [exampleHash] }),
        }),
        'must be an array',
      )
      .max(maxReconciledItems, `may have at most ${maxReconciledItems} entries`)
      .meta({ description: 'Your items after `after`, in the order of the bytes of the IDs.' }),
    last: z
      .boolean('must be true or false')
      .default(false)
      .meta({ description: 'Whether you have nothing after these items.', examples: [true] }),
  })
  .meta({ id: 'ReconcileRequest', description: 'A page of what an application has.' });

const ids = (description: string, examples: string[] = []) => field(z.array(z.string()), description, examples);

const driftSchema = z
  .strictObject({
    missing: ids(`IDs that you lack. At most ${maxMissing}.`, [exampleId]),
    unknown: ids('IDs that the directory lacks.'),
    different: ids('IDs with another hash.'),
    next_after: field(
      z.string().nullable(),
      'Where the next request begins: send it as `after`, with the items after it. Null if everything was compared.',
      null,
    ),
  })
  .meta({ id: 'Drift', description: 'The differences between an application and a directory.' });

export const reconcileDirectory = defineOperation({
  id: 'directories.reconcile',
  method: 'post',
  path: '/api/v1/directory-sync/{directoryId}/reconcile',
  tag: 'Directories',
  auth: 'apiKey',
  scope: 'people:read',
  audit: { none: 'It only reads.' },
  params: directoryParams,
  title: 'Find drift',
  description:
    'Compares your users, groups or members with those of the directory, and returns the differences. Send your items in pages, in the order of the bytes of the IDs (`order by id collate "C"` in Postgres). A hash is the SHA-256 of fields, joined by newlines: of a user `id`, `email`, `first_name`, `last_name`, and `true` or `false` for `active`; of a group `id` and `name`.',
  body: { schema: reconcileRequest, maxBytes: 131_072, maxValues: 5_000 },
  responses: { 200: { description: 'The differences.', data: driftSchema } },
  errors: { 404: 'The directory, or the group, does not exist.' },
  handler: async ({ input: { params, body }, deps, ctx }) => {
    const { type, group_id: groupId, after, items, last: isLast } = body;
    const { nextAfter, ...drift } = await deps.reconcile(params.directoryId, { type, groupId, after, items, isLast }, signalOf(ctx));
    return { ...drift, next_after: nextAfter ?? null };
  },
});
