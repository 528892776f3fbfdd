import { z } from 'zod';
import { pathParam } from '../../operation.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleId, field, id } from '../schema-fields.ts';
import { pageFields, toPage } from '../page.ts';
import { selectorDescription, selectorErrors, selectorFields, selectorQuery, toSelector } from '../selector.ts';
import type { GroupProfile } from '../../../directory/resources/group.ts';

const name = field(z.string(), "The group's name.", 'Engineering');

export const groupSchema = z
  .strictObject({
    id: id("The group's ID."),
    name,
    raw: field(
      z.record(z.string(), z.unknown()),
      "The document as it was pushed or Google returned it, with this service's ID and without members.",
      {
        displayName: 'Engineering',
      },
    ),
  })
  .meta({ id: 'Group', description: 'A group of a directory, without its members.' }) satisfies z.ZodType<GroupProfile>;

const groupWithMembersSchema = groupSchema
  .extend({
    members: z
      .array(z.strictObject({ group_id: id("The group's ID."), user_id: id("The user's ID.") }))
      .meta({ description: 'The users in the group.' }),
  })
  .meta({ id: 'GroupWithMembers', description: 'A group of a directory, with its members.' });

const memberSchema = z.strictObject({ user_id: id("The user's ID.") }).meta({ id: 'Member', description: 'A user in a group.' });

const nestedGroupSchema = z
  .strictObject({ id: id("The nested group's ID."), name })
  .meta({ id: 'NestedGroup', description: 'A group that is a member of another group.' });

const all = '/api/v1/directory-sync/groups';
const one = `${all}/{groupId}`;
const common = { tag: 'Groups', auth: 'apiKey', scope: 'people:read', reach: 'narrowed', method: 'get', errors: selectorErrors } as const;
const groupParams = z.object({ groupId: pathParam("The group's ID.", exampleId) });
const listQuery = z.object({ ...selectorFields, ...pageFields });

export const groupOperations = [
  defineOperation({
    ...common,
    id: 'groups.list',
    path: all,
    title: 'List groups',
    description: `Lists groups without their members, newest first. ${selectorDescription}`,
    query: listQuery,
    responses: { 200: { description: 'The groups.', data: z.array(groupSchema) } },
    handler: ({ input: { query }, deps, caller }) => deps.directoryReader.listGroups(toSelector(query, caller.narrowed), toPage(query)),
  }),
  defineOperation({
    ...common,
    id: 'groups.get',
    path: one,
    params: groupParams,
    title: 'Get a group',
    description: `Returns a group with its members. A group with more than 100,000 members fails with 400: list its members by page. ${selectorDescription}`,
    query: selectorQuery,
    responses: { 200: { description: 'The group.', data: groupWithMembersSchema } },
    handler: ({ input: { params, query }, deps, caller }) =>
      deps.directoryReader.getGroup(toSelector(query, caller.narrowed), params.groupId),
  }),
  defineOperation({
    ...common,
    id: 'groups.members',
    path: `${one}/members`,
    params: groupParams,
    title: 'List the members of a group',
    description: `Lists the users in a group, newest first. The response has no \`error\`. ${selectorDescription}`,
    query: listQuery,
    responses: { 200: { description: 'The members.', body: z.strictObject({ data: z.array(memberSchema) }) } },
    handler: async ({ input: { params, query }, deps, caller }) => ({
      data: await deps.directoryReader.listMembers(toSelector(query, caller.narrowed), params.groupId, toPage(query)),
    }),
  }),
  defineOperation({
    ...common,
    id: 'groups.nestedGroups',
    path: `${one}/nested-groups`,
    params: groupParams,
    title: 'List the nested groups of a group',
    description: `Lists the groups that are members of a group, in the order in which they were added. ${selectorDescription}`,
    query: listQuery,
    responses: { 200: { description: 'The nested groups.', data: z.array(nestedGroupSchema) } },
    handler: ({ input: { params, query }, deps, caller }) =>
      deps.directoryReader.listNestedGroups(toSelector(query, caller.narrowed), params.groupId, toPage(query)),
  }),
];
