import { z } from 'zod';
import { exportOrders, type ExportPosition, exportSections } from '../../../directory/erasure/export-user.ts';
import { pathParam } from '../../operation.ts';
import { createListCursors, cursorFields, idPosition, numberPosition } from '../cursor.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { exampleId } from '../schema-fields.ts';
import { presentErasure, presentExportedItem } from './presenter.ts';
import { erasureSchema, exportPageSchema } from './schemas.ts';

const one = '/api/v1/directory-sync/{directoryId}/users/{userId}';
const params = directoryParams.extend({ userId: pathParam("The user's ID.", exampleId) });
const common = { tag: 'Users', auth: 'apiKey', params } as const;
const part = z.enum(['own', 'searched', 'all']);
const position: z.ZodType<ExportPosition> = z.discriminatedUnion('section', [
  z.strictObject({ section: z.literal('user') }),
  z.strictObject({ section: z.literal('memberships'), id: idPosition.optional() }),
  z.strictObject({ section: z.literal('events'), part: part.optional(), number: numberPosition.optional() }),
  z.strictObject({
    section: z.literal('deliveries'),
    part: part.optional(),
    number: numberPosition.optional(),
    id: z
      .string()
      .max(100)
      .regex(/^[\w-]*$/)
      .optional(),
  }),
  z.strictObject({ section: z.literal('requests'), id: idPosition.optional() }),
]);
const exportQuery = z.object({
  ...cursorFields,
  only: z
    .enum(exportSections, `must be one of ${exportSections.join(', ')}`)
    .optional()
    .meta({ description: 'Only records of this kind.', examples: ['events'] }),
  order: z
    .enum(exportOrders, 'must be asc or desc')
    .default('asc')
    .meta({ description: 'Events and deliveries oldest first (`asc`) or newest first (`desc`).', examples: ['desc'] }),
});
const cursors = createListCursors('export of a user', position);

export const personalDataOperations = [
  defineOperation({
    ...common,
    id: 'users.export',
    scope: 'people:read',
    audit: ['user.exported'],
    method: 'get',
    path: `${one}/export`,
    title: 'Export a user',
    description:
      'Returns all data about one person: the user, its groups, and its events, deliveries and recorded requests. Send `next_cursor` as `cursor` until it is null: a page may be empty. A deleted user may have events that are still kept.',
    query: exportQuery,
    responses: { 200: { description: 'A page of the export.', body: exportPageSchema } },
    handler: async ({ input: { params: of, query }, deps }) => {
      const { only, order } = query;
      const scope = [of.directoryId, of.userId, only, order];
      const page = cursors.readPage(query, scope);
      const after = 'after' in page ? page.after : undefined;
      const { directory, person, items, next } = await deps.personalData.exportPage(of.directoryId, of.userId, { only, order }, after);
      const data = items.map((item) => presentExportedItem(item, directory, person.publicId));
      return { data, error: null, next_cursor: cursors.write(next, scope) };
    },
  }),
  defineOperation({
    ...common,
    id: 'users.erase',
    scope: 'people:write',
    audit: ['user.erasure_requested', 'user.erased'],
    method: 'post',
    path: `${one}/erase`,
    title: 'Erase a user',
    description:
      'Deletes a user, which emits `user.deleted`. Then erases the bodies of its events and deliveries, and the recorded requests of the directory. The erasure continues in the background, even after a restart. The audit log gets a certificate. An identity provider that pushes the person again creates a new user. If nothing of the person is left, the last erasure is returned.',
    responses: { 202: { description: 'The erasure. It is in progress, or has ended before.', data: erasureSchema } },
    handler: async ({ input: { params: of }, deps }) => presentErasure(await deps.personalData.erase(of.directoryId, of.userId)),
  }),
  defineOperation({
    ...common,
    id: 'users.getErasure',
    scope: 'people:read',
    method: 'get',
    path: `${one}/erase`,
    title: 'Get the erasure of a user',
    description: 'The progress of the erasure. It is kept for 30 days after its end; the audit log keeps the certificate for longer.',
    responses: { 200: { description: 'The erasure.', data: erasureSchema } },
    handler: async ({ input: { params: of }, deps }) => presentErasure(await deps.personalData.getErasure(of.directoryId, of.userId)),
  }),
];
