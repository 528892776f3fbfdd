import { z } from 'zod';
import { pathParam } from '../../operation.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleId, filterText, shortText } from '../schema-fields.ts';
import { pageFields } from '../page.ts';
import { createListCursors, cursorFields, nextCursor, numberPosition, pageBody, rowPosition } from '../cursor.ts';
import { selectorDescription, selectorErrors, selectorFields, selectorQuery, toSelector } from '../selector.ts';
import { groupPageSchema, groupWithMembersSchema, memberSchema, nestedGroupSchema } from './schemas.ts';

const all = '/api/v1/directory-sync/groups';
const one = `${all}/{groupId}`;
const common = { tag: 'Groups', auth: 'apiKey', scope: 'people:read', reach: 'narrowed', method: 'get', errors: selectorErrors } as const;
const groupParams = z.object({ groupId: pathParam("The group's ID.", exampleId) });
const listQuery = z.object({ ...selectorFields, ...pageFields, ...cursorFields });
const filterFields = {
  user_id: shortText.optional().meta({ description: 'Only groups of which this user is a direct member.', examples: [exampleId] }),
  idp_id: filterText.meta({ description: 'Only the group with this ID of the identity provider.', examples: ['00g1abcd'] }),
};
const includeMembers = {
  include_members: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .meta({ description: 'With `false`, `members` is empty, however many there are; default: true.', examples: ['false'] }),
};
const cursors = createListCursors('groups', rowPosition);
const cursorsOfMembers = createListCursors('members', numberPosition);
const cursorsOfNested = createListCursors('nested groups', numberPosition);

export const groupOperations = [
  defineOperation({
    ...common,
    id: 'groups.list',
    path: all,
    title: 'List groups',
    description: `Lists groups without their members, newest first. ${selectorDescription}`,
    query: listQuery.extend(filterFields),
    responses: { 200: { description: 'The groups.', body: groupPageSchema } },
    handler: async ({ input: { query }, deps, caller }) => {
      const selector = toSelector(query, caller.narrowed);
      const filter = { userId: query.user_id, idpId: query.idp_id };
      const scope = [selector, filter];
      const found = await deps.directoryReader.listGroups(selector, filter, cursors.readPage(query, scope));
      return { data: found.data, error: null, next_cursor: cursors.write(found.next, scope) };
    },
  }),
  defineOperation({
    ...common,
    id: 'groups.get',
    path: one,
    params: groupParams,
    title: 'Get a group',
    description: `Returns a group with its members. A group with more than 100,000 members fails with 400: send \`include_members=false\`, and list its members by page. ${selectorDescription}`,
    query: selectorQuery.extend(includeMembers),
    responses: { 200: { description: 'The group.', data: groupWithMembersSchema } },
    handler: ({ input: { params, query }, deps, caller }) =>
      deps.directoryReader.getGroup(toSelector(query, caller.narrowed), params.groupId, { withMembers: query.include_members !== 'false' }),
  }),
  defineOperation({
    ...common,
    id: 'groups.members',
    path: `${one}/members`,
    params: groupParams,
    title: 'List the members of a group',
    description: `Lists the users in a group, newest first. The response has no \`error\`. ${selectorDescription}`,
    query: listQuery,
    responses: { 200: { description: 'The members.', body: z.strictObject({ data: z.array(memberSchema), next_cursor: nextCursor }) } },
    handler: async ({ input: { params, query }, deps, caller }) => {
      const selector = toSelector(query, caller.narrowed);
      const scope = [selector, params.groupId];
      const found = await deps.directoryReader.listMembers(selector, params.groupId, cursorsOfMembers.readPage(query, scope));
      return { data: found.data, next_cursor: cursorsOfMembers.write(found.next, scope) };
    },
  }),
  defineOperation({
    ...common,
    id: 'groups.nestedGroups',
    path: `${one}/nested-groups`,
    params: groupParams,
    title: 'List the nested groups of a group',
    description: `Lists the groups that are members of a group, in the order in which they were added. ${selectorDescription}`,
    query: listQuery,
    responses: { 200: { description: 'The nested groups.', body: pageBody(nestedGroupSchema, 'NestedGroupPage', 'nested groups') } },
    handler: async ({ input: { params, query }, deps, caller }) => {
      const selector = toSelector(query, caller.narrowed);
      const scope = [selector, params.groupId];
      const found = await deps.directoryReader.listNestedGroups(selector, params.groupId, cursorsOfNested.readPage(query, scope));
      return { data: found.data, error: null, next_cursor: cursorsOfNested.write(found.next, scope) };
    },
  }),
];
