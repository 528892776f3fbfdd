import { z } from 'zod';
import { pathParam } from '../../operation.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleId, field, filterText, id, shortText, timeOf } from '../schema-fields.ts';
import { pageFields } from '../page.ts';
import { createListCursors, cursorFields, pageBody, rowPosition } from '../cursor.ts';
import { selectorDescription, selectorErrors, selectorFields, selectorQuery, toSelector } from '../selector.ts';
import { groupPageSchema, groupReferenceSchema } from '../groups/schemas.ts';
import { userProfileSchema } from './user-profile.ts';

const userStates = ['active', 'inactive'] as const;

/** What the API says of a user besides the profile that events have. */
export const userSchema = userProfileSchema
  .extend({
    directoryId: id("The user's directory."),
    idp_id: field(z.string().nullable(), "The identity provider's ID (`externalId`); null if it sent none.", '00u1abcd'),
    user_name: field(z.string(), 'The `userName`.', 'ada@acme.example'),
    state: field(z.enum(userStates), '`inactive` if the identity provider has deactivated the user.', 'active'),
    created_at: timeOf('When the user was created.'),
    updated_at: timeOf('When the user last changed. Groups do not count.'),
    groups: z
      .array(groupReferenceSchema)
      .optional()
      .meta({ description: 'The groups of which the user is a direct member. Only with `include=groups`.' }),
  })
  .meta({ id: 'User', description: 'A user of a directory.' });

const all = '/api/v1/directory-sync/users';
const one = `${all}/{userId}`;
const common = { tag: 'Users', auth: 'apiKey', scope: 'people:read', reach: 'narrowed', errors: selectorErrors } as const;
const userParams = z.object({ userId: pathParam("The user's ID.", exampleId) });
const include = {
  include: z
    .literal('groups', 'must be groups')
    .optional()
    .meta({ description: '`groups`: each user has its groups.', examples: ['groups'] }),
};
const filterFields = {
  search: shortText.optional().meta({
    description:
      'Only users whose name, user name, email address or external ID contains this, in capitals or not. No index serves it, so it is limited like a search over SCIM.',
    examples: ['lovelace'],
  }),
  email: filterText.meta({
    description: 'Only users with this address, ignoring case. For a user without an address, the user name counts.',
    examples: ['ada@acme.example'],
  }),
  user_name: filterText.meta({ description: 'Only the user with this user name, ignoring case.', examples: ['ada@acme.example'] }),
  idp_id: filterText.meta({ description: 'Only the user with this ID of the identity provider.', examples: ['00u1abcd'] }),
  group_id: shortText.optional().meta({ description: 'Only direct members of this group.', examples: [exampleId] }),
  state: z
    .enum(userStates, 'must be active or inactive')
    .optional()
    .meta({ description: 'Only active, or only inactive users.', examples: ['active'] }),
  updated_after: z.iso
    .datetime({ offset: true, error: 'must be a time like 2026-11-21T08:43:54Z' })
    .transform((text) => new Date(text))
    .optional()
    .meta({ description: 'Only users that were created or changed after this time.', examples: ['2027-11-21T00:00:00Z'] }),
};
const cursors = createListCursors('users', rowPosition);
const cursorsOfGroups = createListCursors('groups of a user', rowPosition);

export const userOperations = [
  defineOperation({
    ...common,
    id: 'users.list',
    method: 'get',
    path: all,
    title: 'List users',
    description: `Lists users, newest first. All given filters must match. ${selectorDescription}`,
    query: z.object({ ...selectorFields, ...filterFields, ...include, ...pageFields, ...cursorFields }),
    responses: { 200: { description: 'The users.', body: pageBody(userSchema, 'UserPage', 'users') } },
    handler: async ({ input: { query }, deps, caller }) => {
      const selector = toSelector(query, caller.narrowed);
      const filter = {
        search: query.search,
        email: query.email,
        userName: query.user_name,
        idpId: query.idp_id,
        groupId: query.group_id,
        isActive: query.state && query.state === 'active',
        updatedAfter: query.updated_after,
      };
      const scope = [selector, filter];
      const page = cursors.readPage(query, scope);
      const found = await deps.directoryReader.listUsers(selector, { ...filter, withGroups: query.include === 'groups' }, page);
      return { data: found.data, error: null, next_cursor: cursors.write(found.next, scope) };
    },
  }),
  defineOperation({
    ...common,
    id: 'users.get',
    method: 'get',
    path: one,
    params: userParams,
    title: 'Get a user',
    description: selectorDescription,
    query: selectorQuery.extend(include),
    responses: { 200: { description: 'The user.', data: userSchema } },
    handler: ({ input: { params, query }, deps, caller }) =>
      deps.directoryReader.getUser(toSelector(query, caller.narrowed), params.userId, { withGroups: query.include === 'groups' }),
  }),
  defineOperation({
    ...common,
    id: 'users.groups',
    method: 'get',
    path: `${one}/groups`,
    params: userParams,
    title: 'List the groups of a user',
    description: `Lists the groups of which a user is a direct member, newest first. ${selectorDescription}`,
    query: z.object({ ...selectorFields, ...pageFields, ...cursorFields }),
    responses: { 200: { description: 'The groups.', body: groupPageSchema } },
    handler: async ({ input: { params, query }, deps, caller }) => {
      const selector = toSelector(query, caller.narrowed);
      const scope = [selector, params.userId];
      const page = cursorsOfGroups.readPage(query, scope);
      const found = await deps.directoryReader.listGroupsOfUser(selector, params.userId, page);
      return { data: found.data, error: null, next_cursor: cursorsOfGroups.write(found.next, scope) };
    },
  }),
];
