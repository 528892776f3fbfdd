import { z } from 'zod';
import { pathParam } from '../../operation.ts';
import { signalOf } from '../../server/caller-left.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleId } from '../field.ts';
import { pageFields, toPage } from '../page.ts';
import { selectorDescription, selectorErrors, selectorFields, selectorQuery, toSelector } from '../selector.ts';
import { userSchema } from './schemas.ts';

const all = '/api/v1/directory-sync/users';
const common = { tag: 'Users', auth: 'apiKey', errors: selectorErrors } as const;

export const userOperations = [
  defineOperation({
    ...common,
    id: 'users.list',
    method: 'get',
    path: all,
    title: 'List users',
    description: `Lists users, oldest first. ${selectorDescription}`,
    query: z.object({ ...selectorFields, ...pageFields }),
    responses: { 200: { description: 'The users.', data: z.array(userSchema) } },
    handler: ({ input: { query }, deps, ctx }) => deps.directoryReader.listUsers(toSelector(query), toPage(query), signalOf(ctx)),
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
    handler: ({ input: { params, query }, deps }) => deps.directoryReader.getUser(toSelector(query), params.userId),
  }),
];
