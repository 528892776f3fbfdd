import { z } from 'zod';
import { pathParam } from '../../operation.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleId, field, id } from '../schema-fields.ts';
import { pageFields, toPage } from '../page.ts';
import { selectorDescription, selectorErrors, selectorFields, selectorQuery, toSelector } from '../selector.ts';
import type { UserProfile } from '../../../directory/resources/user.ts';

const raw = field(
  z.record(z.string(), z.unknown()),
  "The document as it was pushed or Google returned it, without passwords and with this service's ID.",
  {
    userName: 'ada@acme.example',
  },
);

/** A user in an event. */
export const userProfileSchema = z
  .strictObject({
    id: id("The user's ID."),
    first_name: field(z.string(), 'The given name; empty if there is none.', 'Ada'),
    last_name: field(z.string(), 'The family name; empty if there is none.', 'Lovelace'),
    email: field(z.string(), 'The primary email address; without one, the first address or the user name.', 'ada@acme.example'),
    active: field(z.boolean(), 'False if the identity provider has deactivated the user.', true),
    roles: field(
      z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
      'The roles as they were pushed; text with commas as a list. Missing if there are none.',
      ['admin'],
    ).optional(),
    raw,
  })
  .meta({ id: 'UserProfile', description: 'A user.' }) satisfies z.ZodType<UserProfile>;

const userSchema = userProfileSchema
  .extend({ directoryId: id("The user's directory.") })
  .meta({ id: 'User', description: 'A user of a directory.' });

const all = '/api/v1/directory-sync/users';
const common = { tag: 'Users', auth: 'apiKey', scope: 'people:read', reach: 'narrowed', errors: selectorErrors } as const;

export const userOperations = [
  defineOperation({
    ...common,
    id: 'users.list',
    method: 'get',
    path: all,
    title: 'List users',
    description: `Lists users, newest first. ${selectorDescription}`,
    query: z.object({ ...selectorFields, ...pageFields }),
    responses: { 200: { description: 'The users.', data: z.array(userSchema) } },
    handler: ({ input: { query }, deps, caller }) => deps.directoryReader.listUsers(toSelector(query, caller.narrowed), toPage(query)),
  }),
  defineOperation({
    ...common,
    id: 'users.get',
    method: 'get',
    path: `${all}/{userId}`,
    params: z.object({ userId: pathParam("The user's ID.", exampleId) }),
    title: 'Get a user',
    description: selectorDescription,
    query: selectorQuery,
    responses: { 200: { description: 'The user.', data: userSchema } },
    handler: ({ input: { params, query }, deps, caller }) =>
      deps.directoryReader.getUser(toSelector(query, caller.narrowed), params.userId),
  }),
];
